#pragma once
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "models/base/record.h"

namespace servecast {

/// trace.json: steps and requests as Chrome trace events, which ui.perfetto.dev and chrome://tracing show.
///
/// A pool is a process and a replica a thread of it; batches that overlap in a pipeline take one more row each. A
/// request is a track of its own under its pool, with the spans queue, prefill and decode. Events go straight to the
/// file. Throws UserError where it cannot be written.
class PerfettoTrace {
 public:
  PerfettoTrace(std::string file, const std::vector<std::string>& pools);
  void step(const StepRecord& step);
  void request(const RequestRecord& request);
  /// Writes the end. Without it the file is no JSON.
  void close();

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  void put(std::string_view event);
  void put_name(std::string_view kind, std::size_t process, std::int64_t thread, std::string_view name);
  void put_span(const RequestRecord& request, std::string_view name, double from_s, double to_s);
  std::int64_t row_of(const StepRecord& step);
  [[noreturn]] void fail() const;

  std::string name_;
  std::unique_ptr<std::FILE, Close> file_;
  std::vector<std::vector<double>> row_ends_{};  // per replica and row: when its last step ends
  bool first_ = true;
};

}  // namespace servecast
