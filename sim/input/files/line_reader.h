#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

struct gzFile_s;

namespace servecast {

/// One line of a file, without its end.
struct Line {
  std::string_view text{};
  int number = 0;                     // from 1
  const std::string* file = nullptr;  // never null in a line that a LineReader gave

  /// Throws UserError at the column where `part`, a piece of `text`, begins.
  [[noreturn]] void fail(std::string_view part, const std::string& message) const;
};

/// Reads a text file, plain or gzip, line by line. It holds one buffer, never the file. Lines end with LF or CRLF;
/// the last one may end without.
class LineReader {
 public:
  /// Throws UserError where the file is missing or cannot be opened.
  explicit LineReader(const std::string& file);
  ~LineReader();
  LineReader(const LineReader&) = delete;
  LineReader& operator=(const LineReader&) = delete;

  /// The next line that holds more than blanks, none at the end. Its text stays valid until the next call.
  /// Throws UserError where a gzip file is corrupt or cut short.
  std::optional<Line> next();

  /// Reads on to the end and throws UserError where next() would. A corrupt gzip file gives nonsense before it is found
  /// out, so ask this before blaming a line.
  void check_rest();

  /// Makes next() give the current line once more.
  void again() { repeat_ = true; }

  /// The line that next() gave last. At the end of the file: an empty one with the number of the last line.
  const Line& current() const { return line_; }
  const std::string& file() const { return file_; }

  /// Share of the file's bytes (packed, if it is gzip) that has been taken in.
  double fraction_read() const;

 private:
  bool take_line();  // sets line_; false at the end
  bool fill();       // reads more bytes behind what is left; false at the end
  void check_end();

  std::string file_;
  gzFile_s* handle_ = nullptr;
  std::vector<char> buffer_;
  std::size_t begin_ = 0;  // of what is not yet given out
  std::size_t end_ = 0;
  std::int64_t file_bytes_ = 0;
  std::int64_t read_bytes_ = 0;
  bool repeat_ = false;
  Line line_;
};

}  // namespace servecast
