#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "models/base/error.h"
#include "models/base/fields.h"

namespace servecast {

/// Writes a struct with `fields()` as a JSON object, keys in the order of the fields. An absent optional becomes
/// null; an empty list that is not required is left out, and so is an empty map of names.
class JsonWriter final : public Fields {
 public:
  explicit JsonWriter(nlohmann::ordered_json& object) : levels_{&object} {}

  void visit(const About& about, double& value) override { put(about, value); }
  void visit(const About& about, std::int64_t& value) override { put(about, value); }
  void visit(const About& about, bool& value) override { put(about, value); }
  void visit(const About& about, std::string& value) override { put(about, value); }
  void visit(const About& about, std::optional<double>& value) override { put_optional(about, value); }
  void visit(const About& about, std::optional<std::int64_t>& value) override { put_optional(about, value); }
  void visit(const About& about, std::vector<double>& value) override { put(about, value); }
  void visit(const About& about, std::vector<std::string>& value) override { put(about, value); }

  void enter(const About& about) override;
  bool enter_optional(const About& about, bool present) override;
  std::size_t enter_list(const About& about, std::size_t size) override;
  void enter_item(std::size_t index) override;
  std::vector<std::string> enter_named(const About& about, std::vector<std::string> names) override;
  void leave() override { levels_.pop_back(); }

 private:
  template <class T>
  void put(const About& about, const T& value) {
    (*levels_.back())[std::string(about.key)] = value;
  }
  template <class T>
  void put_optional(const About& about, const std::optional<T>& value) {
    value ? put(about, *value) : put(about, nullptr);
  }

  std::vector<nlohmann::ordered_json*> levels_;
  nlohmann::ordered_json left_out_;  // where goes what is left out
};

/// Reads what JsonWriter wrote. Keys it does not know are skipped, so that newer files can be read; what is missing
/// or of the wrong type is collected in `problems`, each with its path.
class JsonReader final : public Fields {
 public:
  JsonReader(const nlohmann::ordered_json& object, std::string file);

  void visit(const About& about, double& value) override;
  void visit(const About& about, std::int64_t& value) override;
  void visit(const About& about, bool& value) override;
  void visit(const About& about, std::string& value) override;
  void visit(const About& about, std::optional<double>& value) override;
  void visit(const About& about, std::optional<std::int64_t>& value) override;
  void visit(const About& about, std::vector<double>& value) override;
  void visit(const About& about, std::vector<std::string>& value) override;

  void enter(const About& about) override;
  bool enter_optional(const About& about, bool present) override;
  std::size_t enter_list(const About& about, std::size_t size) override;
  void enter_item(std::size_t index) override;
  std::vector<std::string> enter_named(const About& about, std::vector<std::string> names) override;
  void leave() override { levels_.pop_back(); }

  /// Throws UserError with everything found wrong, if anything.
  void throw_problems() const;

 private:
  struct Level {
    const nlohmann::ordered_json* json;
    std::string path;
  };
  /// The value under the key where it has the type; otherwise notes a problem and gives null.
  using IsType = bool (nlohmann::ordered_json::*)() const noexcept;
  const nlohmann::ordered_json* find(const About& about, IsType is_type, const char* type);
  template <class T>
  void read(const About& about, T& value, IsType is_type, const char* type);
  template <class T>
  void read_list(const About& about, std::vector<T>& value, IsType is_type, const char* type);
  bool is_null(const About& about) const;

  std::string path_of(std::string_view key) const;

  std::string file_;
  std::vector<Level> levels_;
  std::vector<Problem> problems_{};
};

/// Rounds every number with a fraction to 9 significant digits, so that reports can be compared as text.
void round_numbers(nlohmann::ordered_json& json);

/// The text of a JSON file: indented, with a line break at its end. What is no UTF-8 in the user's names is replaced.
std::string text_of(const nlohmann::ordered_json& json);

/// Parses a file; throws UserError, with line and column, where it is missing or is no JSON.
nlohmann::ordered_json load_json(const std::string& file);
/// The same of a text, which messages call `file`.
nlohmann::ordered_json parse_json(const std::string& text, const std::string& file);

}  // namespace servecast
