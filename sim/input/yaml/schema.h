#pragma once
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/base/fields.h"

namespace servecast {

enum class SettingType { number, integer, boolean, text, numbers, texts, map, list };

/// A policy to choose from, with the line that `servecast list` shows.
struct Alternative {
  std::string name;
  std::string help;
};

/// One key of a settings file, as its `fields()` lists it.
struct Setting {
  std::string path;    // "pools[].router.policy": [] stands for every entry of a list, <name> for any name
  std::string policy;  // the setting belongs to this alternative; empty: to all
  std::string choice;  // of the one that its path names: "pools[].router.policy"
  SettingType type{};
  std::string unit;
  std::string help;
  nlohmann::ordered_json value;  // the default; null where there is none
  Range range{};                 // of numbers
  std::vector<std::string> choices;
  std::vector<Alternative> alternatives;  // of a `policy`: what each choice is
  bool required = false;
  bool optional = false;  // a map that is not there as a whole unless it is written

  bool numeric() const;
  /// "batcher.policy" -> "batcher"; empty at the top.
  std::string map() const;
  std::string key() const;
};

/// The word for a type in a schema, e.g. "list of numbers".
std::string_view word_of(SettingType type);

/// Describes settings instead of reading them: every key, and every alternative of a choice.
class SchemaFields final : public Fields {
 public:
  const std::vector<Setting>& settings() const { return settings_; }

  void visit(const About& about, double& value) override { add(about, SettingType::number, value); }
  void visit(const About& about, std::int64_t& value) override { add(about, SettingType::integer, value); }
  void visit(const About& about, bool& value) override { add(about, SettingType::boolean, value); }
  void visit(const About& about, std::string& value) override { add(about, SettingType::text, value); }
  void visit(const About& about, std::optional<double>& value) override;
  void visit(const About& about, std::optional<std::int64_t>& value) override;
  void visit(const About& about, std::vector<double>& value) override { add(about, SettingType::numbers, value); }
  void visit(const About& about, std::vector<std::string>& value) override { add(about, SettingType::texts, value); }

  void enter(const About& about) override;
  bool enter_optional(const About& about, bool present) override;
  std::size_t enter_list(const About& about, std::size_t size) override;
  void enter_item(std::size_t) override { above_.push_back(above_.back() + "[]"); }
  std::vector<std::string> enter_named(const About& about, std::vector<std::string> names) override;
  void leave() override { above_.pop_back(); }

  bool describes() const override { return true; }
  void enter_variant(std::string_view name, std::string_view help) override;
  void leave_variant() override { variants_.pop_back(); }

 private:
  void add(const About& about, SettingType type, nlohmann::ordered_json value);
  std::string path_of(std::string_view key) const;

  std::vector<Setting> settings_;
  std::vector<std::string> above_{""};  // paths of the maps and lists around the next setting
  struct Variant {
    std::string policy{};
    std::string choice{};  // its path
  };
  std::vector<Variant> variants_{{}};  // around the next setting, of choices within choices
};

/// Every key of a settings struct in order, with the defaults of `settings`.
template <HasFields T>
std::vector<Setting> describe_settings(T settings = {}) {
  SchemaFields fields;
  settings.fields(fields);
  return fields.settings();
}

}  // namespace servecast
