#pragma once
#include <yaml-cpp/yaml.h>

#include <string>

namespace servecast {

/// A path in which entries of lists have their numbers: "pools.chat.router" -> "pools[0].router", where the first
/// entry of `pools` has the name chat, or is the policy chat and has no name. Throws UserError, which begins with
/// `given`, where no entry or several are called so. Names with dots are not found.
std::string with_numbers(const YAML::Node& root, const std::string& path, const std::string& given);

}  // namespace servecast
