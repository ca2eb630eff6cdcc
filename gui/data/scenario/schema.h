#pragma once
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

namespace servecast::gui {

/// One entry of `servecast schema --format json` (docs/cli.md).
struct SchemaEntry {
  std::string path{};  // "pools[].router.policy"
  std::string key{};   // "policy"
  std::string type{};
  std::string unit{};
  std::string help{};
  std::string default_text{};  // as YAML; empty: none
  bool required = false;
  bool optional = false;
  std::optional<double> min{}, max{};
  bool above_min = false;
  std::vector<std::string> choices{};
  std::vector<std::pair<std::string, std::string>> alternatives{};  // name, help
  std::string only_with_value{};                                    // of the key "policy" beside it

  bool is_map() const { return type == "map"; }
  bool is_list_of_maps() const { return type == "list of maps"; }
  /// "at least 1", "0 to 1", ...; empty where anything goes.
  std::string range_text() const;
};

class Schema {
 public:
  /// Throws UserError where the text is no schema.
  explicit Schema(const std::string& json);

  /// What stands directly under a map ("" is the scenario, "pools[]" an entry of the list), in order.
  const std::vector<SchemaEntry>& children(const std::string& path) const;

 private:
  std::map<std::string, std::vector<SchemaEntry>> by_parent_{};
};

/// A JSON value as short YAML on one line, without the quotes that YAML does not need.
std::string flow_yaml(const nlohmann::ordered_json& value);
/// What a person typed as a text, quoted where YAML would take it for something else.
std::string quoted(const std::string& text);

}  // namespace servecast::gui
