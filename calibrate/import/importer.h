#pragma once
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "calibrate/samples/sample.h"
#include "sim/input/files/csv.h"

namespace servecast {

/// What a table does not say itself.
struct ImportContext {
  std::string gpu;  // name of a GPU file
};

using TakeSample = std::function<void(Sample&&)>;

/// Cells of one row by column name; errors name the place.
class Row {
 public:
  Row(Csv& csv, const Line& line) : csv_(csv), line_(line), cells_(csv.cells(line)) {}

  bool has(std::string_view column) const { return csv_.find(column).has_value(); }
  std::string_view text(std::string_view column) const { return cells_[csv_.column(column)]; }
  std::int64_t count(std::string_view column) const;
  /// A time above 0, divided by how many of the column's units make a second.
  double seconds(std::string_view column, double per_s) const;
  double number(std::string_view column) const;
  /// Throws UserError at the cell.
  [[noreturn]] void fail(std::string_view column, const std::string& message) const {
    line_.fail(text(column), message);
  }

 private:
  Csv& csv_;
  const Line& line_;
  const std::vector<std::string_view>& cells_;
};

/// A kind of measured table, known by the columns that only it has.
struct TableFormat {
  std::string_view name;
  std::vector<std::string_view> columns;  // all must be there
  void (*read)(const Row&, const ImportContext&, const TakeSample&);
};

/// The first that fits counts.
const std::vector<TableFormat>& aiconfigurator_formats();
const std::vector<TableFormat>& vidur_formats();

/// Reads one table of any known format, plain or gzip. Throws UserError with the place of what is wrong.
void import_table(const std::string& file, const ImportContext& context, const TakeSample& take);

}  // namespace servecast
