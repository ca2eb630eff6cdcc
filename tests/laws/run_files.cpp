#include "tests/laws/run_files.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>

namespace servecast::laws {
namespace {

/// Cells with commas are quoted.
std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells(1);
  bool quoted = false;
  for (const char c : line) {
    if (c == '"')
      quoted = !quoted;
    else if (c == ',' && !quoted)
      cells.emplace_back();
    else
      cells.back() += c;
  }
  return cells;
}

CsvTable read_csv(const std::filesystem::path& file) {
  CsvTable table{.name = file.stem().string(), .columns = {}, .rows = {}};
  std::ifstream in(file);
  std::string line;
  if (std::getline(in, line)) table.columns = cells_of(line);
  while (std::getline(in, line)) table.rows.push_back(cells_of(line));
  return table;
}

bool far_below(double less, double more) { return less < more - 1e-7 * std::max(1.0, std::abs(more)); }

}  // namespace

bool CsvTable::has(const std::string& column) const { return std::ranges::find(columns, column) != columns.end(); }

std::size_t CsvTable::at(const std::string& column) const {
  const auto found = std::ranges::find(columns, column);
  if (found == columns.end()) throw std::runtime_error(name + ".csv has no column " + column);
  return static_cast<std::size_t>(found - columns.begin());
}

const std::string& CsvTable::text(std::size_t row, const std::string& column) const {
  return rows[row].at(at(column));
}

std::optional<double> CsvTable::number(std::size_t row, const std::string& column) const {
  const std::string& cell = text(row, column);
  return cell.empty() ? std::nullopt : std::optional(std::stod(cell));
}

double CsvTable::sum(const std::string& column) const {
  double all = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) all += number(i, column).value_or(0);
  return all;
}

bool RunFiles::any_pool(const std::function<bool(const Json&)>& such) const {
  return std::ranges::any_of(settings.at("pools"), such);
}

bool RunFiles::any_source(const std::function<bool(const Json&)>& such) const {
  const Json& workload = settings.at("workload");
  if (!workload.contains("mix") || workload["mix"].empty()) return such(workload);
  return std::ranges::any_of(workload["mix"], such);
}

RunFiles read_run(const std::string& folder) {
  RunFiles run;
  std::ifstream file(folder + "/summary.json");
  run.summary = Json::parse(file);
  run.settings = run.summary.at("settings");
  run.summary.erase("settings");
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.path().extension() == ".csv") run.tables.emplace(entry.path().stem().string(), read_csv(entry.path()));
  return run;
}

void Findings::add(const std::string& law, const std::string& what) {
  ++count_;
  constexpr int enough = 20;
  if (count_ <= enough) fmt::print("{}: {}\n", law, what);
}

void Findings::unless_equal(const std::string& law, const std::string& what, double one, double other) {
  if (far_below(one, other) || far_below(other, one)) add(law, fmt::format("{}: {} and {}", what, one, other));
}

void Findings::unless_at_least(const std::string& law, const std::string& what, double more, double less) {
  if (far_below(more, less)) add(law, fmt::format("{}: {} is below {}", what, more, less));
}

}  // namespace servecast::laws
