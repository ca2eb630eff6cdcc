#include <fmt/core.h>

#include <charconv>
#include <cmath>

#include "tests/laws/laws.h"

namespace servecast::laws {
namespace {

constexpr double rounding = 1e-9;  // numbers of summary.json have nine significant digits
// Of a link's second: SimGrid's clock and a flow's end differ by up to 2^-20 s, and bytes go by that clock. The ends
// of others while a flow is under way add up: those of 64 of them are allowed for.
constexpr double clock_rounding = 64 * 0x1p-20;

bool is_share(const std::string& name) { return name.ends_with("_fraction"); }

void check_number(const std::string& name, double value, Findings& findings) {
  if (!std::isfinite(value)) return findings.add("finite numbers", fmt::format("{} = {}", name, value));
  if (value < -rounding) findings.add("no number below 0", fmt::format("{} = {}", name, value));
  const double most = 1 + (name == "links.used_fraction" ? clock_rounding : rounding);
  if (is_share(name) && value > most)
    findings.add("shares", fmt::format("{} = {} is no share of anything", name, value));
}

void check_json(const Json& value, const std::string& path, Findings& findings) {
  if (value.is_structured())
    for (const auto& [key, part] : value.items()) check_json(part, path + "." + key, findings);
  if (value.is_number()) check_number(path, value.get<double>(), findings);
}

/// None: it is no number, but a name or a list of them.
std::optional<double> number_in(const std::string& cell) {
  double value = 0;
  const char* end = cell.data() + cell.size();
  const auto [stop, error] = std::from_chars(cell.data(), end, value);
  if (error != std::errc() || stop != end) return std::nullopt;
  return value;
}

void check_table(const CsvTable& table, Findings& findings) {
  for (const auto& row : table.rows) {
    if (row.size() != table.columns.size()) {
      findings.add("tables", fmt::format("a row of {}.csv has {} cells", table.name, row.size()));
      continue;
    }
    for (std::size_t i = 0; i < row.size(); ++i)
      if (const auto value = number_in(row[i])) check_number(table.name + "." + table.columns[i], *value, findings);
  }
}

}  // namespace

void check_numbers(const RunFiles& run, Findings& findings) {
  check_json(run.summary, "summary", findings);
  for (const auto& [name, table] : run.tables) check_table(table, findings);
}

}  // namespace servecast::laws
