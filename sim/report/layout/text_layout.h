#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace servecast {

/// For tables that are never cut, because nothing else says their numbers.
inline constexpr std::size_t any_width = 1000;

/// Columns that a UTF-8 text takes on a terminal; wide (East Asian) characters take two.
std::size_t columns(std::string_view text);

/// Breaks at spaces so that no line is wider than `width` (a longer word stays whole). Lines after the first begin
/// with `indent` spaces; so does the text itself where it shall. Names in it may hold anything: see visible().
std::string wrapped(std::string_view text, std::size_t width, std::size_t indent);

/// The same text in ASCII as far as our own signs go; names that the user gave stay as they are.
std::string to_ascii(std::string text);

/// A table whose first columns are flush left and the others flush right, two spaces apart. Cells may hold anything.
class TextTable {
 public:
  explicit TextTable(std::size_t left_columns) : left_columns_(left_columns) {}
  void row(std::vector<std::string> cells);
  /// Each line begins with `indent` spaces. Left columns are cut short where the table would be wider than `width`.
  std::string text(std::size_t indent, std::size_t width) const;

 private:
  std::vector<std::size_t> widths(std::size_t room) const;

  std::size_t left_columns_;
  std::vector<std::vector<std::string>> rows_{};
};

/// A part of the terminal report: tables under a heading, and lines below them.
struct TextSection {
  std::string heading{};
  std::vector<TextTable> tables{};
  std::vector<std::string> lines{};
};

}  // namespace servecast
