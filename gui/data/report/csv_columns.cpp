#include "gui/data/report/csv_columns.h"

#include <algorithm>
#include <cassert>
#include <charconv>
#include <cstring>
#include <limits>

#include "gui/data/report/mapped_file.h"
#include "models/base/error.h"
#include "models/base/escaped.h"
#include "sim/report/csv/csv_column.h"

namespace servecast::gui {

void Words::push_back(std::string_view word) {
  if (!code.empty() && names[code.back()] == word) return code.push_back(code.back());  // neighbours are often alike
  const auto found = std::ranges::find(names, word);
  code.push_back(static_cast<std::uint32_t>(found - names.begin()));
  if (found == names.end()) names.emplace_back(word);
}

/// Where reading stands, for messages too.
struct CsvColumns::Cursor {
  const std::string& file;
  const char* begin;
  const char* next;
  const char* end;
  int line = 1;

  [[noreturn]] void fail(const std::string& message) const { throw UserError({file, line}, message); }

  std::string_view rest_of_line() {
    const auto* stop = static_cast<const char*>(std::memchr(next, '\n', static_cast<std::size_t>(end - next)));
    if (stop == nullptr) fail("the line breaks off: the file was cut short");
    const std::string_view text(next, static_cast<std::size_t>(stop - next));
    next = stop + 1;
    return text;
  }

  /// The next cell; quotes around it are left away, a doubled one inside stays doubled.
  std::string_view cell(std::string_view& row) const {
    if (!row.empty() && row.front() == '"') {
      std::size_t quote = row.find('"', 1);
      while (quote != std::string_view::npos && row.substr(quote + 1).starts_with('"'))
        quote = row.find('"', quote + 2);
      if (quote == std::string_view::npos) fail("a quoted cell does not end");
      const std::string_view text = row.substr(1, quote - 1);
      row.remove_prefix(std::min(row.size(), quote + 2));
      return text;
    }
    const auto* comma = static_cast<const char*>(std::memchr(row.data(), ',', row.size()));
    const std::size_t length = comma == nullptr ? row.size() : static_cast<std::size_t>(comma - row.data());
    const std::string_view text = row.substr(0, length);
    row.remove_prefix(std::min(row.size(), length + 1));
    return text;
  }
};

CsvColumns::CsvColumns(std::string_view file) : file_(file) {}

void CsvColumns::add(Sink sink) {
  const auto of = std::ranges::find(csv_files(), file_, &CsvFile::name);
  assert(file_.empty() || std::ranges::find(of->columns, sink.name, &CsvFile::Column::name) != of->columns.end());
  sinks_.push_back(std::move(sink));
}

void CsvColumns::number(std::string name, Column& column, Need need) {
  add({.name = std::move(name), .need = need, .numbers = &column});
}
void CsvColumns::words(std::string name, Words& column, Need need) {
  add({.name = std::move(name), .need = need, .words = &column});
}
void CsvColumns::place(std::string name, std::vector<std::uint64_t>& offsets) {
  add({.name = std::move(name), .offsets = &offsets});
}

std::vector<const CsvColumns::Sink*> CsvColumns::by_position(Cursor& at, std::string_view header) const {
  std::vector<const Sink*> order;
  while (!header.empty()) {
    const std::string_view name = at.cell(header);
    const auto found = std::ranges::find(sinks_, name, &Sink::name);
    order.push_back(found == sinks_.end() ? nullptr : &*found);
  }
  for (const Sink& sink : sinks_)
    if (sink.need == Need::required && std::ranges::find(order, &sink) == order.end())
      at.fail("there is no column '" + sink.name + "'; was it written by another version of servecast?");
  return order;
}

void CsvColumns::reserve(std::size_t rows) const {
  for (const Sink& sink : sinks_) {
    if (sink.numbers != nullptr) sink.numbers->reserve(rows);
    if (sink.words != nullptr) sink.words->code.reserve(rows);
    if (sink.offsets != nullptr) sink.offsets->reserve(rows);
  }
}

/// In quotes, a quote is written twice.
static std::string with_single_quotes(std::string_view cell) {
  std::string text(cell);
  for (std::size_t at = 0; (at = text.find("\"\"", at)) != std::string::npos; ++at) text.erase(at, 1);
  return text;
}

void CsvColumns::take(const Sink& sink, std::string_view cell, const Cursor& at) {
  if (sink.words != nullptr && cell.find('"') != std::string_view::npos)
    return sink.words->push_back(csv_text(with_single_quotes(cell)));
  if (sink.words != nullptr) return sink.words->push_back(csv_text(cell));
  if (sink.offsets != nullptr) return sink.offsets->push_back(static_cast<std::uint64_t>(cell.data() - at.begin));
  double value = std::numeric_limits<double>::quiet_NaN();
  if (!cell.empty()) {
    const auto [stop, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
    if (error != std::errc() || stop != cell.data() + cell.size())
      at.fail("'" + std::string(cell) + "' is no number in column '" + sink.name + "'");
  }
  sink.numbers->push_back(value);
}

void CsvColumns::read(const MappedFile& file) {
  const std::string_view text = file.text();
  Cursor at{.file = file.name(), .begin = text.data(), .next = text.data(), .end = text.data() + text.size()};
  const std::string_view header = at.rest_of_line();
  const std::vector<const Sink*> order = by_position(at, header);
  reserve(static_cast<std::size_t>(std::count(at.next, at.end, '\n')));
  while (at.next != at.end) {
    ++at.line;
    std::string_view row = at.rest_of_line();
    const bool last_is_empty = row.ends_with(',');
    for (std::size_t i = 0; i < order.size(); ++i) {
      if (row.empty() && !(last_is_empty && i + 1 == order.size())) at.fail("the row has too few cells");
      const std::string_view cell = at.cell(row);
      if (order[i] != nullptr) take(*order[i], cell, at);
    }
  }
}

}  // namespace servecast::gui
