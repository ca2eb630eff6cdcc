#include "calibrate/servers/csv_rows.h"

#include <charconv>
#include <cmath>
#include <fstream>

#include "models/base/error.h"

namespace servecast {
namespace {

/// A quoted cell may hold commas; a doubled quote in it stands for one.
std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells(1);
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '"' && quoted && i + 1 < line.size() && line[i + 1] == '"')
      cells.back() += line[i++];
    else if (line[i] == '"')
      quoted = !quoted;
    else if (line[i] == ',' && !quoted)
      cells.emplace_back();
    else if (line[i] != '\r')
      cells.back() += line[i];
  }
  return cells;
}

}  // namespace

void CsvRow::fail(const std::string& message) const { throw UserError(where_ + ": " + message); }

const std::string& CsvRow::text(const std::string& column) const {
  const auto found = cells_.find(column);
  if (found == cells_.end()) fail("column '" + column + "' is missing");
  return found->second;
}

double CsvRow::number(const std::string& column) const {
  const std::string& cell = text(column);
  double value = 0;
  const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
  if (error != std::errc() || end != cell.data() + cell.size())
    fail("column '" + column + "' holds '" + cell + "', not a number");
  return value;
}

double CsvRow::positive_number(const std::string& column) const {
  const double value = number(column);
  if (!(value > 0) || std::isinf(value)) fail("column '" + column + "' must be above 0, not " + text(column));
  return value;
}

std::vector<CsvRow> read_csv(const std::string& file) {
  std::ifstream in(file);
  std::string line;
  if (!std::getline(in, line)) throw UserError("'" + file + "' cannot be read, or is empty");
  const std::vector<std::string> names = cells_of(line);
  std::vector<CsvRow> rows;
  for (std::size_t number = 2; std::getline(in, line); ++number) {
    if (line.empty()) continue;
    const std::vector<std::string> cells = cells_of(line);
    const std::string where = file + ":" + std::to_string(number);
    if (cells.size() != names.size())
      throw UserError(where + ": " + std::to_string(cells.size()) + " cells, but the header names " +
                      std::to_string(names.size()));
    std::map<std::string, std::string> row;
    for (std::size_t i = 0; i < cells.size(); ++i) row[names[i]] = cells[i];
    rows.emplace_back(where, std::move(row));
  }
  return rows;
}

}  // namespace servecast
