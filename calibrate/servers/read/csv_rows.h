#pragma once
#include <algorithm>
#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace servecast {

/// Why no forecast can be made of a row that is sound in itself: nothing bundled is like what it measured.
struct NoMatch : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// One row of a table, by column.
class CsvRow {
 public:
  CsvRow(std::string file, std::size_t line, std::map<std::string, std::string> cells)
      : file_(std::move(file)), line_(line), cells_(std::move(cells)) {}

  const std::string& file() const { return file_; }
  std::size_t line() const { return line_; }

  /// Throw UserError, with file and line, where the column is missing or holds no number.
  const std::string& text(const std::string& column) const;
  double number(const std::string& column) const;
  /// Also where it is not above 0, or infinite.
  double positive_number(const std::string& column) const;
  /// Also where it is not a whole number from 0 on, or absurdly large.
  std::int64_t count(const std::string& column) const;
  bool has(const std::string& column) const { return cells_.contains(column); }
  /// Empty where there is no such column.
  std::string text_if_there(const std::string& column) const { return has(column) ? text(column) : std::string(); }
  /// 1 where the cell is empty or 0, or the column missing: rows write sizes of groups that there are not so.
  std::int64_t count_or_one(const std::string& column) const {
    return text_if_there(column).empty() ? 1 : std::max<std::int64_t>(1, count(column));
  }
  [[noreturn]] void fail(const std::string& message) const;

 private:
  std::string file_;
  std::size_t line_;
  std::map<std::string, std::string> cells_;
};

/// A CSV file whose first line names the columns, behind comments that begin with '#'; cells may be quoted. Throws
/// UserError where it cannot be read.
std::vector<CsvRow> read_csv(const std::string& file);

}  // namespace servecast
