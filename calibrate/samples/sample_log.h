#pragma once
#include <cstdio>
#include <string>
#include <vector>

#include "calibrate/samples/sample.h"

namespace servecast {

/// A samples.csv that is written row by row over several runs of a program: a row is in the file once write() has
/// returned, and a row that was cut off, because the program was killed, is taken out when the file is opened again.
class SampleLog {
 public:
  /// Throws UserError for a file that cannot be written or that has other columns.
  explicit SampleLog(const std::string& file);
  ~SampleLog();
  SampleLog(const SampleLog&) = delete;
  SampleLog& operator=(const SampleLog&) = delete;

  /// What was there when the file was opened.
  const std::vector<Sample>& found() const { return found_; }
  /// Throws UserError where it cannot be written.
  void write(const Sample& sample);

 private:
  void put(const std::string& text);

  std::string file_;
  std::vector<Sample> found_;
  std::FILE* handle_ = nullptr;
};

}  // namespace servecast
