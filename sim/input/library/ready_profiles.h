#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <tuple>
#include <utility>

#include "models/hw/machine/gpu.h"
#include "models/hw/profile/kernel_profile.h"
#include "models/hw/profile/kernel_times.h"

namespace servecast {

/// A kernel profile as pools use it.
struct ReadyProfile {
  explicit ReadyProfile(KernelProfile used) : profile(std::move(used)), times(profile) {}

  KernelProfile profile;
  KernelTimes times;
};

/// What is made of a measured profile. Profiles and GPUs are those of HardwareFiles, where each has one address.
struct ProfileUse {
  const KernelProfile& measured;
  const Gpu* from = nullptr;  // where it was measured, and which GPU it is scaled to; null: it is not
  const Gpu* to = nullptr;
  const KernelProfile* collectives = nullptr;  // of the GPU that `to` names for them, and where they were measured
  const Gpu* collectives_from = nullptr;
  std::uint64_t draw = 0;  // 0: the best estimate
  double spread = 1;
};

/// The share of its best estimate's time that no operator takes less than, as it is used.
double fastest_fraction(const ProfileUse& use);

/// The profiles of one scenario, each made ready once however many pools use it. Step times ask them, so this
/// outlives the pools.
class ReadyProfiles {
 public:
  const ReadyProfile& get(const ProfileUse& use);
  std::size_t size() const { return profiles_.size(); }

 private:
  std::map<std::tuple<const KernelProfile*, const Gpu*, const Gpu*>, ReadyProfile> profiles_{};  // never walked
};

}  // namespace servecast
