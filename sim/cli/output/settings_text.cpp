#include "sim/cli/output/settings_text.h"

#include "sim/input/scenario/scenario.h"
#include "sim/report/fields/json_fields.h"

namespace servecast {
namespace {

using nlohmann::ordered_json;

void erase_nulls(ordered_json& json) {
  if (!json.is_structured()) return;
  for (auto item = json.begin(); item != json.end();) {
    if (item->is_null()) {
      item = json.erase(item);
    } else {
      erase_nulls(*item);
      ++item;
    }
  }
}

void erase_empty(ordered_json& map) {
  for (auto item = map.begin(); item != map.end();)
    item = *item == "" || *item == ordered_json::object() ? map.erase(item) : std::next(item);
}

/// Most pools name no group of nodes; without pools, there are no nodes.
void erase_unnamed_groups(ordered_json& json) {
  if (!json.contains("pools")) {
    json.erase("cluster");
    return;
  }
  for (ordered_json& pool : json["pools"])
    if (pool["group"] == "") pool.erase("group");
}

void erase_no_plugins(ordered_json& json) {
  if (json.contains("plugins") && json["plugins"].empty()) json.erase("plugins");
}

/// Of hardware, only what the scenario changes.
void erase_unchanged_figures(ordered_json& json) {
  for (const char* kind : {"gpus", "nodes", "fabrics"})
    if (json.contains(kind))
      for (ordered_json& file : json[kind]) erase_empty(file);
}

}  // namespace

std::string settings_text(ScenarioSpec& spec) {
  ordered_json json = ordered_json::object();
  JsonWriter writer(json);
  spec.fields(writer);
  erase_nulls(json);
  erase_no_plugins(json);
  erase_unnamed_groups(json);
  erase_unchanged_figures(json);
  return json.dump();
}

}  // namespace servecast
