#pragma once
#include <string>
#include <vector>

#include "calibrate/samples/row_log.h"
#include "calibrate/samples/sample.h"

namespace servecast {

/// A samples.csv that goes on where an earlier run has stopped.
class SampleLog {
 public:
  /// Throws UserError for a file that cannot be written or that has other columns.
  explicit SampleLog(const std::string& file);

  /// What was there when the file was opened.
  const std::vector<Sample>& found() const { return found_; }
  /// Throws UserError where it cannot be written.
  void write(const Sample& sample);

 private:
  RowLog rows_;
  std::vector<Sample> found_{};
};

}  // namespace servecast
