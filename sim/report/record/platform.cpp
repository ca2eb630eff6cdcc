#include "sim/report/record/platform.h"

#include "sim/report/fields/json_fields.h"

namespace servecast {

std::string to_json(const Platform& platform) {
  Platform copy = platform;  // fields() serves reading too, so it wants something it may change
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  JsonWriter writer(json);
  copy.fields(writer);
  round_numbers(json);
  return text_of(json);
}

}  // namespace servecast
