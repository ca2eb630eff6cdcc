#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "models/base/error.h"

namespace servecast {

/// A library of policies that this process has loaded.
struct Plugin {
  std::string file{};                   // absolute
  std::vector<std::string> policies{};  // "router 'nearest'", in the order of their registration
  std::uintmax_t bytes = 0;             // the file, when it was loaded
  std::int64_t changed = 0;
};

/// Loads a library of policies, whose names scenarios can use from then on, for the rest of the process.
/// `name_or_path` is one of `plugins/` of a library (sim/input/library), or a path as seen from the folder of
/// `named_in`, else from the working folder. Loaded once: a second time only finds it. Throws UserError at `where`:
/// not there, built for another program, cannot be loaded, without a policy, or with one whose name is taken.
const Plugin& load_plugin(const std::string& name_or_path, const Place& where, const std::string& named_in = "");

/// The same for every scenario of this process, as `--plugin` asks.
void load_plugin_for_all(const std::string& name_or_path);
/// What names them in a scenario: names of libraries as they were given, paths from the root.
const std::vector<std::string>& plugins_for_all();

/// All plug-ins, in the order of loading.
std::vector<Plugin> loaded_plugins();

/// "libmy_policies.so (router 'nearest')"
std::string words(const Plugin& plugin);

/// The file of the plug-in that brought this policy; empty: it is bundled.
std::string plugin_of(const std::string& kind, const std::string& name);

}  // namespace servecast
