#pragma once
#include <memory>
#include <string>
#include <vector>

#include "sim/report/files/perfetto.h"

namespace servecast {

/// The file of `run --trace`: written beside its place and moved there when it is whole. Symbolic links are followed.
/// What killed runs left beside it is cleared away.
class TraceOutput {
 public:
  /// Throws UserError where the file cannot be written or is none.
  TraceOutput(std::string file, const std::vector<std::string>& pools);
  ~TraceOutput();
  TraceOutput(const TraceOutput&) = delete;
  TraceOutput& operator=(const TraceOutput&) = delete;

  PerfettoTrace& events() { return *events_; }
  /// Throws UserError where the file cannot be put in its place.
  void commit();

 private:
  std::string file_;
  std::string target_;
  std::string partial_;
  std::unique_ptr<PerfettoTrace> events_{};
};

}  // namespace servecast
