#pragma once
#include <memory>
#include <string>

#include "sim/input/files/line_reader.h"
#include "sim/input/trace/formats/trace_format.h"
#include "sim/input/trace/rows/workload_notes.h"

namespace servecast {

/// The rows of a trace file, with the checks that need more than one line.
class TraceRows {
 public:
  TraceRows(const std::string& file, const std::string& format, WorkloadNotes& notes);

  RowOrder order() const { return format_->order(); }
  bool tells_starts() const { return format_->tells_starts(); }
  /// The next row, rows of failed requests (no output tokens) included; false at the end of the file.
  bool next(TraceRow& row);
  /// The same without failed requests.
  bool next_good(TraceRow& row);
  /// Counts a failed request; true where the row is one.
  bool is_failed(const TraceRow& row);

  ClassId class_of(const TraceRow& row);
  [[noreturn]] void fail(const std::string& message) const { lines_.current().fail(lines_.current().text, message); }
  double fraction_read() const { return lines_.fraction_read(); }

 private:
  bool read(TraceRow& row);

  LineReader lines_;
  std::unique_ptr<TraceFormat> format_;
  WorkloadNotes& notes_;
  std::int64_t rows_ = 0;
  double latest_s_ = 0;
};

}  // namespace servecast
