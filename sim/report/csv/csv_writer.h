#pragma once
#include <charconv>
#include <concepts>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace servecast {

/// Writes a CSV file cell by cell, through a buffer of its own. Numbers are the shortest text that reads back to the
/// same bits; an absent value is an empty cell; texts go through csv_cell().
/// Throws UserError where the file cannot be written.
class CsvWriter {
 public:
  /// `header` is the first line, without its end.
  CsvWriter(std::string file, std::string_view header);

  template <class T>
  requires std::floating_point<T> ||(std::integral<T> && !std::same_as<T, bool>)CsvWriter& cell(T value) {
    make_room();
    end_ = std::to_chars(end_, buffer_.get() + capacity, value).ptr;
    *end_++ = ',';
    return *this;
  }
  template <class T>
  CsvWriter& cell(const std::optional<T>& value) {
    return value ? cell(*value) : cell(std::string_view{});
  }
  CsvWriter& cell(std::string_view text);

  /// Ends the line; it must have a cell.
  void end_row() { end_[-1] = '\n'; }

  /// Writes out what is buffered and closes the file. Without it the file is cut short.
  void close();

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  static constexpr std::size_t capacity = std::size_t{1} << 18;
  static constexpr std::size_t longest_number = 64;

  void make_room() {
    if (static_cast<std::size_t>(end_ - buffer_.get()) > capacity - longest_number) flush();
  }
  void flush();
  void put(std::string_view text);
  [[noreturn]] void fail() const;

  std::string name_;
  std::unique_ptr<std::FILE, Close> file_;
  std::unique_ptr<char[]> buffer_ = std::make_unique<char[]>(capacity);
  char* end_ = buffer_.get();
};

}  // namespace servecast
