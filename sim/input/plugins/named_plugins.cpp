#include "sim/input/plugins/named_plugins.h"

#include <fmt/format.h>

#include "sim/input/plugins/plugin.h"
#include "sim/input/yaml/try_at.h"

namespace servecast {
namespace {

/// None where there is no list.
std::vector<YAML::Node> plugin_names(const YAML::Node& root, const std::string& map) {
  if (!root.IsMap()) return {};
  const YAML::Node settings = map.empty() ? root : root[map];
  if (!settings.IsDefined() || !settings.IsMap()) return {};
  const YAML::Node names = settings["plugins"];
  if (!names.IsDefined() || !names.IsSequence()) return {};
  return std::vector<YAML::Node>(names.begin(), names.end());
}

}  // namespace

void load_named_plugins(YamlText& text, const std::string& map) {
  const YAML::Node root = text.root;  // const: looking a key up does not create it
  std::size_t i = 0;
  for (const YAML::Node& name : plugin_names(root, map)) {
    const std::string path = fmt::format("{}plugins[{}]", map.empty() ? "" : map + ".", i++);
    text.places.emplace(path, name.Mark());
    if (name.IsScalar()) try_at(text, path, [&] { load_plugin(name.Scalar(), text.place(path), text.file); });
  }
  for (const std::string& name : plugins_for_all()) load_plugin(name, {});
  text.throw_problems();
}

}  // namespace servecast
