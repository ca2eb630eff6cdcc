#include "python/extension/csv_table.h"

#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

#include <charconv>
#include <cstring>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "models/base/error.h"
#include "models/base/escaped.h"
#include "models/base/input_file.h"

namespace servecast::python {
namespace {

/// A report of a hundred million requests.
constexpr std::size_t table_mib = 16 << 10;

enum class Kind { integers, numbers, texts };

struct Column {
  std::string name{};
  Kind kind = Kind::integers;
  std::vector<std::int64_t> integers{};
  std::vector<double> numbers{};
  std::vector<std::uint32_t> codes{};
  std::vector<std::string> texts{};
  std::unordered_map<std::string, std::uint32_t> code_of{};

  void clear() {
    integers.clear();
    numbers.clear();
    codes.clear();
    texts.clear();
    code_of.clear();
  }
  /// False: the column's kind is too narrow for this cell.
  bool take(std::string_view cell);
  bool take_text(std::string_view cell);
};

template <class Number>
bool parse(std::string_view cell, Number& value) {
  const auto [stop, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
  return error == std::errc() && stop == cell.data() + cell.size();
}

bool Column::take(std::string_view cell) {
  if (kind == Kind::texts) return take_text(cell);
  if (kind == Kind::integers) {
    std::int64_t value = 0;
    if (!parse(cell, value)) return false;
    integers.push_back(value);
    return true;
  }
  double value = std::numeric_limits<double>::quiet_NaN();
  if (!cell.empty() && !parse(cell, value)) return false;
  numbers.push_back(value);
  return true;
}

bool Column::take_text(std::string_view cell) {
  if (!codes.empty() && texts[codes.back()] == cell)
    return codes.push_back(codes.back()), true;  // neighbours are often alike
  const auto [known, fresh] = code_of.try_emplace(std::string(cell), static_cast<std::uint32_t>(texts.size()));
  if (fresh) texts.emplace_back(cell);
  codes.push_back(known->second);
  return true;
}

/// Takes the cells of a line off `text`, one by one. Quoted cells may hold commas, doubled quotes and line breaks.
class Cells {
 public:
  explicit Cells(std::string_view text) : rest_(text) {}
  bool at_end() const { return rest_.empty(); }

  /// `last`: whether the line ends behind it.
  std::string_view next(bool& last) {
    if (rest_.starts_with('"')) return quoted(last);
    const std::size_t stop = std::min(rest_.find_first_of(",\n"), rest_.size());
    const std::string_view cell = rest_.substr(0, stop);
    leave(stop, last);
    return cell;
  }

 private:
  std::string_view quoted(bool& last) {
    unquoted_.clear();
    std::size_t at = 1;
    while (at < rest_.size()) {
      const std::size_t quote = std::min(rest_.find('"', at), rest_.size());
      unquoted_ += rest_.substr(at, quote - at);
      at = quote + 1;
      if (at >= rest_.size() || rest_[at] != '"') break;
      unquoted_ += '"';
      ++at;
    }
    leave(std::min(at, rest_.size()), last);
    return unquoted_;
  }
  void leave(std::size_t stop, bool& last) {
    last = stop == rest_.size() || rest_[stop] == '\n';
    rest_.remove_prefix(std::min(rest_.size(), stop + 1));
  }

  std::string_view rest_;
  std::string unquoted_;
};

std::vector<Column> header_of(Cells& cells) {
  std::vector<Column> columns;
  for (bool last = false; !last;) columns.push_back({.name = std::string(cells.next(last))});
  return columns;
}

/// Null, or the column that has to become wider before the text is read again.
Column* read_rows(const std::string& file, Cells cells, std::vector<Column>& columns) {
  for (int line = 2; !cells.at_end(); ++line) {
    bool last = false;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      if (last) throw UserError({file, line}, "the row has too few cells; was the file cut short?");
      if (!columns[i].take(csv_text(cells.next(last)))) return &columns[i];
    }
    if (!last) throw UserError({file, line}, "the row has more cells than the header");
  }
  return nullptr;
}

std::vector<Column> read_columns(const std::string& file) {
  const std::string text = read_whole(file, table_mib);
  Cells cells(text);
  std::vector<Column> columns = header_of(cells);
  while (Column* narrow = read_rows(file, cells, columns)) {
    narrow->kind = narrow->kind == Kind::integers ? Kind::numbers : Kind::texts;
    for (Column& column : columns) column.clear();
  }
  return columns;
}

/// A memoryview of what `values` hold, which it owns from now on.
template <class T>
nb::object buffer_of(std::vector<T>& values) {
  auto* owned = new std::vector<T>(std::move(values));
  const nb::capsule owner(owned, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return nb::cast(nb::ndarray<nb::memview, T, nb::ndim<1>, nb::c_contig>(owned->data(), {owned->size()}, owner));
}

nb::object as_tuple(Column& column) {
  if (column.kind == Kind::integers) return nb::make_tuple(column.name, buffer_of(column.integers), nb::none());
  if (column.kind == Kind::numbers) return nb::make_tuple(column.name, buffer_of(column.numbers), nb::none());
  nb::list texts;
  for (const std::string& text : column.texts) texts.append(nb::str(text.c_str(), text.size()));
  return nb::make_tuple(column.name, buffer_of(column.codes), texts);
}

}  // namespace

void bind_csv(nb::module_& m) {
  m.def("read_csv", [](const std::string& file) {
    std::vector<Column> columns;
    {
      const nb::gil_scoped_release free_to_go_on;
      columns = read_columns(file);
    }
    nb::list list;
    for (Column& column : columns) list.append(as_tuple(column));
    return list;
  });
}

}  // namespace servecast::python
