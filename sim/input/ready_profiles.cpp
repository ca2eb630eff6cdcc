#include "sim/input/ready_profiles.h"

#include "models/hw/calibration_draw.h"
#include "models/hw/profile/derived_profile.h"

namespace servecast {
namespace {

KernelProfile as_used(const ProfileUse& use) {
  KernelProfile profile = use.measured;
  if (use.to != nullptr) profile = scale_profile(std::move(profile), *use.from, *use.to);
  return use.draw > 0 ? drawn(std::move(profile), use.spread, use.draw) : profile;
}

}  // namespace

const ReadyProfile& ReadyProfiles::get(const ProfileUse& use) {
  const std::pair key(&use.measured, use.to);
  const auto found = profiles_.find(key);
  return found != profiles_.end() ? found->second : profiles_.emplace(key, as_used(use)).first->second;
}

}  // namespace servecast
