#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace servecast {

/// One row of a table, by column.
class CsvRow {
 public:
  CsvRow(std::string where, std::map<std::string, std::string> cells)
      : where_(std::move(where)), cells_(std::move(cells)) {}

  /// Throw UserError, with file and line, where the column is missing or holds no number.
  const std::string& text(const std::string& column) const;
  double number(const std::string& column) const;
  /// Also where it is not above 0, or infinite.
  double positive_number(const std::string& column) const;
  std::int64_t count(const std::string& column) const { return static_cast<std::int64_t>(number(column)); }
  [[noreturn]] void fail(const std::string& message) const;

 private:
  std::string where_;
  std::map<std::string, std::string> cells_;
};

/// A CSV file whose first line names the columns; cells may be quoted. Throws UserError where it cannot be read.
std::vector<CsvRow> read_csv(const std::string& file);

}  // namespace servecast
