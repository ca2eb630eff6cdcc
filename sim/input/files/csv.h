#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/input/files/line_reader.h"

namespace servecast {

/// The cells of a CSV file whose first line names the columns. Cells are separated by commas; there is no quoting.
class Csv {
 public:
  void read_header(const Line& header);

  /// Which column has this name. The second form throws UserError where there is none.
  std::optional<std::size_t> find(std::string_view name) const;
  std::size_t column(std::string_view name) const;
  const std::vector<std::string>& names() const { return names_; }

  /// The cells of a row, valid until the line is gone. Throws UserError where it has more or fewer than the header.
  const std::vector<std::string_view>& cells(const Line& line);

 private:
  std::vector<std::string> names_;
  std::string file_;
  std::vector<std::string_view> cells_;
};

}  // namespace servecast
