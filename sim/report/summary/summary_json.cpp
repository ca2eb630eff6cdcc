#include "sim/report/fields/json_fields.h"
#include "sim/report/summary/summary.h"

namespace servecast {
namespace {

Summary summary_in(const nlohmann::ordered_json& json, const std::string& file) {
  Summary summary;
  JsonReader reader(json, file);
  summary.fields(reader);
  reader.throw_problems();
  if (!json.contains("settings")) throw UserError({file}, "'settings' is missing; it should be an object");
  summary.settings = json["settings"].dump();
  return summary;
}

}  // namespace

std::string to_json(const Summary& summary) {
  Summary copy = summary;  // fields() serves reading too, so it wants something it may change
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  JsonWriter writer(json);
  copy.fields(writer);
  round_numbers(json);
  json["settings"] = nlohmann::ordered_json::parse(summary.settings);
  return text_of(json);
}

Summary read_summary(const std::string& file) { return summary_in(load_json(file), file); }

Summary summary_from(const std::string& text, const std::string& name) {
  return summary_in(parse_json(text, name), name);
}

}  // namespace servecast
