#include "calibrate/servers/read/csv_rows.h"

#include <charconv>
#include <cmath>
#include <optional>
#include <string_view>

#include "models/base/error.h"
#include "sim/input/files/line_reader.h"

namespace servecast {
namespace {

/// A quoted cell may hold commas; a doubled quote in it stands for one.
std::vector<std::string> cells_of(std::string_view line) {
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

void CsvRow::fail(const std::string& message) const {
  throw UserError(file_ + ":" + std::to_string(line_) + ": " + message);
}

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

std::int64_t CsvRow::count(const std::string& column) const {
  constexpr double most = 1e9;
  const double value = number(column);
  if (!(value >= 0 && value <= most) || value != std::floor(value))
    fail("column '" + column + "' must be a whole number from 0 to 1e9, not " + text(column));
  return static_cast<std::int64_t>(value);
}

std::vector<CsvRow> read_csv(const std::string& file) {
  LineReader lines(file);
  std::optional<Line> header = lines.next();
  while (header && header->text.starts_with('#')) header = lines.next();
  if (!header) throw UserError(Place{.file = file}, "is empty");
  const std::vector<std::string> names = cells_of(header->text);
  std::vector<CsvRow> rows;
  while (const std::optional<Line> line = lines.next()) {
    const std::vector<std::string> cells = cells_of(line->text);
    if (cells.size() != names.size())
      throw UserError(file + ":" + std::to_string(line->number) + ": " + std::to_string(cells.size()) +
                      " cells, but the header names " + std::to_string(names.size()));
    std::map<std::string, std::string> row;
    for (std::size_t i = 0; i < cells.size(); ++i) row[names[i]] = cells[i];
    rows.emplace_back(file, line->number, std::move(row));
  }
  return rows;
}

}  // namespace servecast
