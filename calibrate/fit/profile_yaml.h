#pragma once
#include <string>

#include "models/hw/profile/kernel_profile.h"

namespace servecast {

/// The profile as YAML, `comment` lines first. Numbers are written with as many digits as read back the same.
std::string profile_yaml(const KernelProfile& profile, const std::string& comment);

}  // namespace servecast
