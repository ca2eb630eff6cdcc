#pragma once
#include <string>
#include <vector>

#include "models/base/error.h"
#include "models/hw/profile/kernel_profile.h"

namespace servecast {

/// A bundled profile's name, or the path of a YAML file (as seen from the folder of `named_in`). Throws UserError at
/// `where` for an unknown name, in the file itself for what is wrong there.
KernelProfile load_profile(const std::string& name_or_path, const Place& where, const std::string& named_in = "");

/// Bundled names, sorted.
std::vector<std::string> list_profiles();

}  // namespace servecast
