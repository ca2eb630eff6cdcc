#pragma once
#include <cstdio>
#include <string>

namespace servecast {

/// A CSV file that is written row by row over several runs of a program: a row is in the file once put() has
/// returned, and a row that was cut off, because the program was killed, is taken out when the file is opened again.
class RowLog {
 public:
  /// `header`: the first line, with its line feed. Throws UserError for a file that cannot be written or that has
  /// another one.
  RowLog(const std::string& file, const std::string& header);
  ~RowLog();
  RowLog(const RowLog&) = delete;
  RowLog& operator=(const RowLog&) = delete;

  /// The file had been begun when it was opened.
  bool found() const { return found_; }
  /// With its line feed. Throws UserError where it cannot be written.
  void put(const std::string& row);

 private:
  std::string file_;
  bool found_ = false;
  std::FILE* handle_ = nullptr;
};

}  // namespace servecast
