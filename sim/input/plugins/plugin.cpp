#include "sim/input/plugins/plugin.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cstring>
#include <deque>
#include <filesystem>

#include "models/base/input_file.h"
#include "models/base/names.h"
#include "models/base/registry.h"
#include "sim/input/files/files_read.h"
#include "sim/input/library/library.h"
#include "sim/input/plugins/own_card.h"

namespace servecast {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t library_mib = 256;
constexpr const char* build_again =
    "build it again with servecast_add_policies() of this version's CMake package (docs/plug-ins.md)";

// Registries hold what libraries brought until the process ends, so this list does, too.
std::deque<Plugin>& plugins() {
  static std::deque<Plugin> loaded;
  return loaded;
}

std::vector<std::string>& for_all() {
  static std::vector<std::string> names;
  return names;
}

/// What the library says of itself. Throws UserError where it says nothing.
PluginCard card_in(const std::string& file, const Place& where) {
  const std::string bytes = read_whole(file, library_mib);
  const std::size_t at = bytes.find(card_marker);
  if (at == std::string::npos || at + sizeof(PluginCard) > bytes.size())
    throw UserError(where, fmt::format("'{}' is no plug-in: it holds no card; {}", file, build_again));
  PluginCard card;
  std::memcpy(static_cast<void*>(&card), bytes.data() + at, sizeof card);
  return card;
}

/// Why this library cannot work with this program; empty: it can.
std::string mismatch(const PluginCard& theirs, const PluginCard& ours) {
  if (theirs.abi != ours.abi)
    return fmt::format("its plug-in interface is number {}, that of this program number {}", theirs.abi, ours.abi);
  if (theirs.toolchain.view() != ours.toolchain.view())
    return fmt::format("it was built for {}, this program for {}", theirs.toolchain.view(), ours.toolchain.view());
  if (theirs.headers.view() != ours.headers.view())
    return fmt::format("it was built with the headers of another servecast ({}; this one: {})", theirs.version.view(),
                       ours.version.view());
  return "";
}

/// Runs what the library does when it is loaded: it registers its policies.
void open_library(const std::string& file, const Place& where) {
  // Declared as one that never throws, which a constructor of the library may do.
  void* (*const volatile load)(const char*, int) = dlopen;
  std::string thrown;
  try {
    if (load(file.c_str(), RTLD_NOW | RTLD_LOCAL) == nullptr)
      throw UserError(where, fmt::format("plug-in '{}' cannot be loaded: {}", file, dlerror()));
    return;
  } catch (const UserError&) {
    throw;
  } catch (const std::exception& error) {
    thrown = error.what();
  }
  throw UserError(where, fmt::format("plug-in '{}' throws while it is loaded: {}", file, thrown));
}

std::string owner(const Registration& policy) {
  const std::string file = plugin_of(std::string(policy.kind), std::string(policy.name));
  return file.empty() ? "bundled" : "in " + file;
}

std::string policy_words(const Registration& policy) { return fmt::format("{} '{}'", policy.kind, policy.name); }

Plugin plugin_at(const std::string& file) {
  return {
      .file = file, .bytes = fs::file_size(file), .changed = fs::last_write_time(file).time_since_epoch().count()};
}

const Plugin& load_new(const std::string& file, const Place& where) {
  Plugin plugin = plugin_at(file);
  if (const std::string why = mismatch(card_in(file, where), own_card()); !why.empty())
    throw UserError(where, fmt::format("plug-in '{}' does not go with this program: {}; {}", file, why, build_again));
  const std::size_t before = registrations().size();
  open_library(file, where);
  const auto added = registrations().begin() + static_cast<std::ptrdiff_t>(before);
  for (auto policy = added; policy != registrations().end(); ++policy) {
    if (policy->taken)
      throw UserError(where, fmt::format("plug-in '{}' brings {}, a name that is taken ({}): give it another", file,
                                         policy_words(*policy), owner(*policy)));
    plugin.policies.push_back(policy_words(*policy));
  }
  if (plugin.policies.empty())
    throw UserError(where, fmt::format("plug-in '{}' registers no policy: a source file of it does so with "
                                       "Registry<Router>::add<...>(...), for example",
                                       file));
  return plugins().emplace_back(std::move(plugin));
}

}  // namespace

const Plugin& load_plugin(const std::string& name_or_path, const Place& where, const std::string& named_in) {
  const std::string named = library_file(plugin_folder, name_or_path, where, named_in);
  FilesRead::note(named);
  if (!is_there(named) || is_folder(named))
    throw UserError(where, fmt::format("there is no plug-in '{}': give the path of a library that "
                                       "servecast_add_policies() has built",
                                       named));
  const std::string file = fs::canonical(named).string();
  const auto known = std::ranges::find(plugins(), file, &Plugin::file);
  if (known == plugins().end()) return load_new(file, where);
  const Plugin now = plugin_at(file);
  if (now.bytes != known->bytes || now.changed != known->changed)
    throw UserError(where,
                    fmt::format("plug-in '{}' has changed since it was loaded: start the command again", file));
  return *known;
}

void load_plugin_for_all(const std::string& name_or_path) {
  const std::string file = load_plugin(name_or_path, {}).file;
  const bool path = is_path(plugin_folder, name_or_path);
  for_all().push_back(path ? file : name_or_path);
}

const std::vector<std::string>& plugins_for_all() { return for_all(); }

std::vector<Plugin> loaded_plugins() { return {plugins().begin(), plugins().end()}; }

std::string words(const Plugin& plugin) {
  return fs::path(plugin.file).filename().string() + " (" + join(plugin.policies, ", ") + ")";
}

std::string plugin_of(const std::string& kind, const std::string& name) {
  const std::string policy = fmt::format("{} '{}'", kind, name);
  for (const Plugin& plugin : plugins())
    if (std::ranges::find(plugin.policies, policy) != plugin.policies.end()) return plugin.file;
  return "";
}

}  // namespace servecast
