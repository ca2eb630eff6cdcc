#include "sim/input/files/csv.h"

#include <fmt/format.h>

#include <algorithm>

#include "models/base/error.h"
#include "models/base/names.h"

namespace servecast {
namespace {

void split(std::string_view text, std::vector<std::string_view>& cells) {
  cells.clear();
  for (;;) {
    const std::size_t comma = text.find(',');
    cells.push_back(text.substr(0, comma));
    if (comma == std::string_view::npos) return;
    text.remove_prefix(comma + 1);
  }
}

}  // namespace

void Csv::read_header(const Line& header) {
  split(header.text, cells_);
  names_.assign(cells_.begin(), cells_.end());
  file_ = *header.file;
  for (std::size_t i = 0; i < cells_.size(); ++i)
    if (!cells_[i].empty() && std::ranges::find(names_, cells_[i]) - names_.begin() < static_cast<std::ptrdiff_t>(i))
      header.fail(cells_[i], fmt::format("there are two columns '{}'", cells_[i]));
}

std::optional<std::size_t> Csv::find(std::string_view name) const {
  const auto found = std::ranges::find(names_, name);
  if (found == names_.end()) return std::nullopt;
  return static_cast<std::size_t>(found - names_.begin());
}

std::size_t Csv::column(std::string_view name) const {
  if (const std::optional<std::size_t> found = find(name)) return *found;
  throw UserError(Place{.file = file_, .line = 1, .column = 1},
                  fmt::format("there is no column '{}'. Found: {}", name, join(names_)));
}

const std::vector<std::string_view>& Csv::cells(const Line& line) {
  split(line.text, cells_);
  if (cells_.size() < names_.size())
    line.fail(line.text.substr(line.text.size()), fmt::format("the row has {} columns, the header names {}: {}",
                                                              cells_.size(), names_.size(), join(names_)));
  if (cells_.size() > names_.size())
    line.fail(cells_[names_.size()], fmt::format("the row has {} columns, the header names {}: {}", cells_.size(),
                                                 names_.size(), join(names_)));
  return cells_;
}

}  // namespace servecast
