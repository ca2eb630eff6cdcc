#include "sim/cli/settings_text.h"

#include "sim/input/scenario.h"
#include "sim/report/json_fields.h"

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

/// Most pools name no group of nodes.
void erase_unnamed_groups(ordered_json& json) {
  for (ordered_json& pool : json["pools"])
    if (pool["group"] == "") pool.erase("group");
}

}  // namespace

std::string settings_text(ScenarioSpec& spec) {
  ordered_json json = ordered_json::object();
  JsonWriter writer(json);
  spec.fields(writer);
  erase_nulls(json);
  erase_unnamed_groups(json);
  return json.dump();
}

}  // namespace servecast
