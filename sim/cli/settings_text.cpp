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

}  // namespace

std::string settings_text(ScenarioSpec& spec) {
  ordered_json json = ordered_json::object();
  JsonWriter writer(json);
  spec.fields(writer);
  erase_nulls(json);
  return json.dump();
}

}  // namespace servecast
