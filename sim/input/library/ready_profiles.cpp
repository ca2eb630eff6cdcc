#include "sim/input/library/ready_profiles.h"

#include <utility>

#include "models/hw/profile/calibration_draw.h"
#include "models/hw/profile/derived_profile.h"

namespace servecast {
namespace {

KernelProfile scaled(const ProfileUse& use) {
  if (use.to == nullptr) return use.measured;
  KernelProfile profile = scale_profile(use.measured, *use.from, *use.to);
  if (use.collectives == nullptr) return profile;
  return with_collectives(std::move(profile), scale_profile(*use.collectives, *use.collectives_from, *use.to));
}

KernelProfile as_used(const ProfileUse& use) {
  KernelProfile profile = scaled(use);
  return use.draw > 0 ? drawn(std::move(profile), use.spread, use.draw) : profile;
}

}  // namespace

double fastest_fraction(const ProfileUse& use) {
  if (use.to == nullptr) return fastest_fraction(use.measured, use.spread, use.draw);
  return fastest_fraction(scaled(use), use.spread, use.draw);
}

const ReadyProfile& ReadyProfiles::get(const ProfileUse& use) {
  const std::tuple key(&use.measured, use.from, use.to);
  const auto found = profiles_.find(key);
  return found != profiles_.end() ? found->second : profiles_.emplace(key, as_used(use)).first->second;
}

}  // namespace servecast
