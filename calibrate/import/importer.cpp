#include "calibrate/import/importer.h"

#include <algorithm>
#include <limits>

#include "models/base/error.h"
#include "models/base/names.h"
#include "sim/input/files/numbers.h"

namespace servecast {
namespace {

bool fits(const TableFormat& format, const Csv& csv) {
  return std::ranges::all_of(format.columns, [&](std::string_view column) { return csv.find(column).has_value(); });
}

const TableFormat& find_format(const Csv& csv, const std::string& file) {
  for (const auto* formats : {&aiconfigurator_formats(), &vidur_formats()})
    for (const TableFormat& format : *formats)
      if (fits(format, csv)) return format;
  std::vector<std::string> known;
  for (const auto* formats : {&aiconfigurator_formats(), &vidur_formats()})
    for (const TableFormat& format : *formats) known.emplace_back(format.name);
  throw UserError(Place{.file = file, .line = 1}, "no known table has these columns. Known: " + join(known));
}

}  // namespace

std::int64_t Row::count(std::string_view column) const {
  return read_count(line_, text(column), column, {.min = 0, .max = std::int64_t{1} << 52});
}

double Row::number(std::string_view column) const { return read_number(line_, text(column), column); }

double Row::seconds(std::string_view column, double per_s) const {
  const double value = number(column);
  if (value <= 0) fail(column, std::string(column) + " must be above 0");
  return value / per_s;
}

void import_table(const std::string& file, const ImportContext& context, const TakeSample& take) {
  LineReader reader(file);
  const std::optional<Line> first = reader.next();
  if (!first) throw UserError(Place{.file = file}, "is empty; the first line must name the columns");
  Csv csv;
  csv.read_header(*first);
  const TableFormat& format = find_format(csv, file);
  while (const std::optional<Line> line = reader.next()) format.read(Row(csv, *line), context, take);
}

}  // namespace servecast
