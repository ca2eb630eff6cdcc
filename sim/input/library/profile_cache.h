#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "models/hw/profile/kernel_profile.h"

namespace servecast {

/// While it lives, kernel profiles that are read stay in memory: most of reading a scenario is reading them. A file
/// that has changed since is read again. One at a time.
class ProfileCache {
 public:
  ProfileCache();
  ~ProfileCache();
  ProfileCache(const ProfileCache&) = delete;
  ProfileCache& operator=(const ProfileCache&) = delete;

  /// By which one sees that a file has changed.
  struct State {
    std::uintmax_t bytes = 0;
    std::int64_t changed = 0;
    bool operator==(const State&) const = default;
  };

  /// Files of those kept, sorted.
  std::vector<std::string> files() const;

  /// Null where no cache is open, or it does not hold this one.
  static const KernelProfile* find(const std::string& file);
  static void keep(const std::string& file, const KernelProfile& profile);

 private:
  struct Kept {
    State state{};
    KernelProfile profile{};
  };
  std::map<std::string, Kept> kept_{};
};

}  // namespace servecast
