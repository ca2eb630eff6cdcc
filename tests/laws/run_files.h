#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace servecast::laws {

using Json = nlohmann::json;

/// A table that a run wrote, as texts.
struct CsvTable {
  std::string name;
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;

  bool has(const std::string& column) const;
  const std::string& text(std::size_t row, const std::string& column) const;
  /// None where the cell is empty.
  std::optional<double> number(std::size_t row, const std::string& column) const;
  double sum(const std::string& column) const;

 private:
  std::size_t at(const std::string& column) const;
};

/// What one run has left in its folder.
struct RunFiles {
  Json summary;                            // without the settings
  Json settings;                           // what the user wrote
  std::map<std::string, CsvTable> tables;  // by name: "requests"

  bool has(const char* setting) const { return settings.contains(setting) && !settings[setting].empty(); }
  /// Whether any pool's settings are such.
  bool any_pool(const std::function<bool(const Json&)>& such) const;
  /// Whether any source of requests says so.
  bool any_source(const std::function<bool(const Json&)>& such) const;
};

RunFiles read_run(const std::string& folder);

/// Says what is wrong, one line each: "law: what".
class Findings {
 public:
  void add(const std::string& law, const std::string& what);
  /// Unless both are the same but for rounding; summary.json has nine significant digits.
  void unless_equal(const std::string& law, const std::string& what, double one, double other);
  void unless_at_least(const std::string& law, const std::string& what, double more, double less);
  int count() const { return count_; }

 private:
  int count_ = 0;
};

}  // namespace servecast::laws
