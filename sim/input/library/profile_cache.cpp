#include "sim/input/library/profile_cache.h"

#include <cassert>
#include <filesystem>
#include <optional>

namespace servecast {
namespace {

namespace fs = std::filesystem;

ProfileCache* keeper = nullptr;  // not handed down: see FilesRead

std::optional<ProfileCache::State> state_of(const std::string& file) {
  std::error_code no_file;
  const std::uintmax_t bytes = fs::file_size(file, no_file);
  if (no_file) return std::nullopt;  // or a pipe, which gives its text once
  const fs::file_time_type changed = fs::last_write_time(file, no_file);
  if (no_file) return std::nullopt;
  return ProfileCache::State{.bytes = bytes, .changed = changed.time_since_epoch().count()};
}

}  // namespace

ProfileCache::ProfileCache() {
  assert(keeper == nullptr);
  keeper = this;
}

ProfileCache::~ProfileCache() { keeper = nullptr; }

std::vector<std::string> ProfileCache::files() const {
  std::vector<std::string> all;
  for (const auto& [file, kept] : kept_) all.push_back(file);
  return all;
}

const KernelProfile* ProfileCache::find(const std::string& file) {
  if (keeper == nullptr) return nullptr;
  const auto kept = keeper->kept_.find(file);
  if (kept == keeper->kept_.end()) return nullptr;
  return kept->second.state == state_of(file) ? &kept->second.profile : nullptr;
}

void ProfileCache::keep(const std::string& file, const KernelProfile& profile) {
  if (keeper == nullptr) return;
  if (const auto state = state_of(file)) keeper->kept_[file] = {.state = *state, .profile = profile};
}

}  // namespace servecast
