#include "sim/input/kept_profiles.h"

#include <cassert>
#include <filesystem>

namespace servecast {
namespace {

namespace fs = std::filesystem;

KeptProfiles* keeper = nullptr;  // not handed down: see FilesRead

std::int64_t change_of(const std::string& file) { return fs::last_write_time(file).time_since_epoch().count(); }

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
  std::error_code gone;
  const bool same =
      kept->second.bytes == fs::file_size(file, gone) && !gone && kept->second.changed == change_of(file);
  return same ? &kept->second.profile : nullptr;
}

void KeptProfiles::keep(const std::string& file, const KernelProfile& profile) {
  if (keeper == nullptr) return;
  keeper->kept_[file] = {.bytes = fs::file_size(file), .changed = change_of(file), .profile = profile};
}

}  // namespace servecast
