#pragma once
#include <concepts>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/base/shown.h"

namespace servecast {

/// What a number may be. Settings are amounts, so the plain default is "zero or more".
struct Range {
  double min = 0;
  double max = std::numeric_limits<double>::infinity();
  bool above_min = false;  // min itself is excluded
};
constexpr Range positive{.min = 0, .above_min = true};
constexpr Range at_least_one{.min = 1};
constexpr Range fraction{.min = 0, .max = 1};
constexpr Range positive_fraction{.min = 0, .max = 1, .above_min = true};

/// What is said of one setting or figure, next to its value.
struct About {
  std::string_view key;
  std::string_view help;
  Range range{};                       // numbers only
  std::vector<std::string> choices{};  // texts only; empty: anything goes
  bool required = false;               // has no default
  std::optional<Shown> figure{};       // figures of a report only
};

class Fields;

template <class T>
concept HasFields = requires(T t, Fields& f) {
  t.fields(f);
};

/// A settings struct lists its fields once, in `void fields(Fields&)`. The same list then reads the scenario file,
/// makes the schema and the help, and echoes the settings into the report. So does a struct of a report with its
/// figures: the list is what files, tables, comparisons and documents are made from.
class Fields {
 public:
  virtual ~Fields() = default;

  template <class T>
  void field(std::string_view key, T& value, std::string_view help, Range range = {}) {
    visit({.key = key, .help = help, .range = range}, value);
  }
  void field(std::string_view key, std::string& value, std::string_view help, std::vector<std::string> choices) {
    visit({.key = key, .help = help, .choices = std::move(choices)}, value);
  }
  /// A setting without a default: leaving it out is an error.
  template <class T>
  void required(std::string_view key, T& value, std::string_view help, Range range = {}) {
    visit({.key = key, .help = help, .range = range, .required = true}, value);
  }
  void required(std::string_view key, std::string& value, std::string_view help, std::vector<std::string> choices) {
    visit({.key = key, .help = help, .choices = std::move(choices), .required = true}, value);
  }

  /// A number of a report, or a spread of numbers.
  template <class T>
  void figure(std::string_view key, T& value, std::string_view help, const Shown& shown = {}) {
    put({.key = key, .help = help, .figure = shown}, value);
  }
  /// A number that follows from the others: people see it, and no file holds it.
  void derived(std::string_view key, std::optional<double> value, std::string_view help, const Shown& shown) {
    derive({.key = key, .help = help, .figure = shown}, value);
  }

  /// A map of settings under `key`; leaving it out leaves every setting at its default. It may be optional as a
  /// whole.
  template <class T>
  void group(std::string_view key, T& value, std::string_view help) {
    put({.key = key, .help = help}, value);
  }
  /// A list of maps.
  template <HasFields T>
  void list(std::string_view key, std::vector<T>& values, std::string_view help, bool required = false) {
    values.resize(enter_list({.key = key, .help = help, .required = required}, values.size()));
    for (std::size_t i = 0; i < values.size(); ++i) {
      enter_item(i);
      values[i].fields(*this);
      leave();
    }
    leave();
  }

  /// Maps of settings, each under a name that the user gives. A name that does not stand there has none.
  template <HasFields T>
  void named(std::string_view key, std::map<std::string, T>& values, std::string_view help) {
    std::vector<std::string> names;
    for (const auto& [name, value] : values) names.push_back(name);
    for (const std::string& name : enter_named({.key = key, .help = help}, std::move(names))) {
      enter({.key = name, .help = help});
      values[name].fields(*this);
      leave();
    }
    leave();
  }

  /// Numbers, each under a name that the user gives.
  void named(std::string_view key, std::map<std::string, double>& values, std::string_view help, Range range) {
    std::vector<std::string> names;
    for (const auto& [name, value] : values) names.push_back(name);
    for (const std::string& name : enter_named({.key = key, .help = help}, std::move(names))) {
      std::optional<double> value;
      if (values.contains(name)) value = values[name];
      visit({.key = name, .help = help, .range = range}, value);
      if (value) values[name] = *value;
    }
    leave();
  }

  /// True for a visitor that wants every alternative of a choice, not the chosen one (schema, help).
  virtual bool describes() const { return false; }
  /// Brackets the settings of one alternative; called only where describes().
  virtual void enter_variant(std::string_view /*name*/, std::string_view /*help*/) {}
  virtual void leave_variant() {}

  virtual void visit(const About&, double&) = 0;
  virtual void visit(const About&, std::int64_t&) = 0;
  virtual void visit(const About&, bool&) = 0;
  virtual void visit(const About&, std::string&) = 0;
  virtual void visit(const About&, std::optional<double>&) = 0;
  virtual void visit(const About&, std::optional<std::int64_t>&) = 0;
  virtual void visit(const About&, std::vector<double>&) = 0;
  virtual void visit(const About&, std::vector<std::string>&) = 0;

  virtual void enter(const About&) = 0;
  virtual bool enter_optional(const About&, bool present) = 0;  // true: visit the fields, then leave()
  virtual std::size_t enter_list(const About&, std::size_t size) = 0;
  virtual void enter_item(std::size_t index) = 0;
  /// Given the names there are; those to visit, each between enter() and leave(), and then leave().
  virtual std::vector<std::string> enter_named(const About& about, std::vector<std::string> names) {
    enter(about);
    return names;
  }
  virtual void leave() = 0;
  virtual void derive(const About&, std::optional<double> /*value*/) {}

 private:
  template <class T>
  void put(const About& about, T& value) {
    visit(about, value);
  }
  template <HasFields T>
  void put(const About& about, T& value) {
    enter(about);
    value.fields(*this);
    leave();
  }
  template <HasFields T>
  void put(const About& about, std::optional<T>& value) {
    if (!enter_optional(about, value.has_value())) return;
    if (!value) value.emplace();
    value->fields(*this);
    leave();
  }
};

/// Stands for any name where settings are described.
constexpr std::string_view any_name = "<name>";

}  // namespace servecast
