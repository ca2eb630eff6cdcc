#include "sim/cli/listing/list_data.h"

#include <fmt/format.h>

#include <functional>
#include <nlohmann/json.hpp>
#include <vector>

#include "models/base/names.h"
#include "models/base/registry.h"
#include "sim/cli/listing/list_hardware.h"
#include "sim/cli/listing/schema_text.h"
#include "sim/input/library/library.h"
#include "sim/input/plugins/plugin.h"
#include "sim/input/trace/formats/trace_format.h"
#include "sim/input/yaml/schema.h"
#include "sim/input/yaml/yaml_fields.h"

namespace servecast {
namespace {

using nlohmann::ordered_json;

/// Settings of one thing, as `schema` gives them, without what only says where they stand.
ordered_json settings_items(std::span<const Setting> settings) {
  ordered_json items = ordered_json::parse(schema_json(settings));
  for (ordered_json& item : items) item.erase("only_with");
  return items;
}

ordered_json policy_items(const PolicyKind& kind) {
  ordered_json items = ordered_json::array();
  kind.visit([&](const std::string& name, const std::string& help, const std::function<void(Fields&)>& settings) {
    SchemaFields fields;
    settings(fields);
    const std::string plugin = plugin_of(std::string(kind.kind), name);
    items.push_back({{"name", name},
                     {"help", help},
                     {"settings", settings_items(fields.settings())},
                     {"from", plugin.empty() ? "bundled" : plugin}});
  });
  return items;
}

/// Files that a command or a scenario can name, and where they are.
ordered_json file_items(const LibraryFolder& folder, std::string (*help)(const std::string& file)) {
  ordered_json items = ordered_json::array();
  for (const std::string& name : library_names(folder)) {
    const std::string file = library_path(folder, name);
    items.push_back({{"name", name}, {"help", help(file)}, {"from", library_origin(folder, name)}});
  }
  return items;
}

std::string title_of(const std::string& file) {
  const YamlText text = YamlText::load(file);
  const YAML::Node name = text.root.IsMap() ? text.root["name"] : YAML::Node();
  return name.IsDefined() && name.IsScalar() ? name.Scalar() : "";
}

ordered_json scenario_items() { return file_items(scenario_folder, title_of); }
ordered_json plugin_items() {
  return file_items(plugin_folder,
                    [](const std::string& file) { return join(load_plugin(file, {}).policies, ", "); });
}

ordered_json trace_items() {
  ordered_json items = ordered_json::array();
  for (const TraceFormatEntry& format : trace_formats())
    items.push_back({{"name", format.name}, {"help", format.help}});
  return items;
}

ordered_json latency_items() {
  return {
      {{"name", "auto"}, {"help", "the GPU's profile for the engine's kernels where there is one, else roofline"}},
      {{"name", "profile"}, {"help", "measured kernels: laws with smoothed residuals, from a kernel profile"}},
      {{"name", "roofline"},
       {"help", "sum over operators, each bounded by arithmetic, memory or launches; constants of the GPU's file"}},
      {{"name", "table"}, {"help", "lookup tables in a folder, one CSV per operator"}}};
}

/// "2048", "0.5", "least_loaded": without the ".0" that JSON gives whole numbers.
std::string plain(const ordered_json& value) {
  if (value.is_string()) return value.get<std::string>();
  return value.is_number_float() ? fmt::format("{}", value.get<double>()) : value.dump();
}

std::string setting_line(const ordered_json& s) {
  std::string facts = plain(s.at("type"));
  if (s.contains("unit")) facts += ", " + plain(s.at("unit"));
  if (s.contains("default")) facts += ", default " + plain(s.at("default"));
  if (s.contains("min")) facts += (s.at("above_min") ? ", above " : ", at least ") + plain(s.at("min"));
  if (s.contains("max")) facts += ", at most " + plain(s.at("max"));
  return plain(s.at("path")) + ": " + plain(s.at("help")) + " (" + facts + ")";
}

/// Name and help, and below it one line per setting.
std::string described(const ordered_json& items) {
  std::size_t width = 0;
  for (const ordered_json& item : items) width = std::max(width, item.at("name").get<std::string>().size());
  std::string text;
  for (const ordered_json& item : items) {
    const std::string name = item.at("name");
    const std::string from = item.value("from", "bundled");
    text += name + std::string(width - name.size() + 2, ' ') + item.at("help").get<std::string>() +
            (from == "bundled" ? "" : " (from " + from + ")") + "\n";
    if (!item.contains("settings")) continue;
    for (const ordered_json& setting : item.at("settings"))
      text += std::string(width + 2, ' ') + "- " + setting_line(setting) + "\n";
  }
  return text;
}

std::vector<Listing> all_listings() {
  std::vector<Listing> all{
      {"llms", "language models, bundled by name (a HuggingFace config.json works too)", llm_items, llm_table},
      {"gpus", "accelerators", gpu_items, gpu_table},
      {"nodes", "servers that hold them", node_items, node_table},
      {"fabrics", "networks between servers", fabric_items, fabric_table},
      {"engines", "serving engines: what they add to model and GPU", engine_items, engine_table}};
  for (const auto& [name, kind] : PolicyKind::all())
    all.push_back({name, kind.listing.help, [&listed = kind] { return policy_items(listed); }, described});
  all.push_back({"latencies", "how long a step takes", latency_items, described});
  all.push_back({"scenarios", "scenarios that commands take by name", scenario_items, described});
  all.push_back({"plugins", "libraries of policies that a scenario can name in `plugins`", plugin_items, described});
  all.push_back({"traces", "trace formats that can be read", trace_items, described});
  return all;
}

}  // namespace

std::span<const Listing> listings() {
  static const std::vector<Listing> all = all_listings();
  return all;
}

}  // namespace servecast
