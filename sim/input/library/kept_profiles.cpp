#include "sim/input/library/kept_profiles.h"

#include <cassert>
#include <filesystem>
#include <optional>

namespace servecast {
namespace {

namespace fs = std::filesystem;

KeptProfiles* keeper = nullptr;  // not handed down: see FilesRead

std::optional<KeptProfiles::State> state_of(const std::string& file) {
  std::error_code no_file;
  const std::uintmax_t bytes = fs::file_size(file, no_file);
  if (no_file) return std::nullopt;  // or a pipe, which tells its text once
  const fs::file_time_type changed = fs::last_write_time(file, no_file);
  if (no_file) return std::nullopt;
  return KeptProfiles::State{.bytes = bytes, .changed = changed.time_since_epoch().count()};
}

}  // namespace

KeptProfiles::KeptProfiles() {
  assert(keeper == nullptr);
  keeper = this;
}

KeptProfiles::~KeptProfiles() { keeper = nullptr; }

std::vector<std::string> KeptProfiles::files() const {
  std::vector<std::string> all;
  for (const auto& [file, kept] : kept_) all.push_back(file);
  return all;
}

const KernelProfile* KeptProfiles::find(const std::string& file) {
  if (keeper == nullptr) return nullptr;
  const auto kept = keeper->kept_.find(file);
  if (kept == keeper->kept_.end()) return nullptr;
  return kept->second.state == state_of(file) ? &kept->second.profile : nullptr;
}

void KeptProfiles::keep(const std::string& file, const KernelProfile& profile) {
  if (keeper == nullptr) return;
  if (const auto state = state_of(file)) keeper->kept_[file] = {.state = *state, .profile = profile};
}

}  // namespace servecast
