#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "calibrate/samples/row_log.h"

namespace servecast {

/// What a whole step computes: sequences that decode, and chunks of prompts, all of each alike.
struct StepShape {
  std::int64_t decodes = 0;
  std::int64_t decode_context = 0;  // tokens that each attends to, the new one included
  std::int64_t prompts = 0;
  std::int64_t prompt_tokens = 0;  // that each chunk computes
  std::int64_t prompt_prefix = 0;  // computed before it

  auto operator<=>(const StepShape&) const = default;
};
/// "32 decodes of 1024, 1 prompt of 512 behind 4096"
std::string text_of(const StepShape& shape);

/// A decoder whose steps are measured.
struct StepModel {
  std::string llm{};        // as it was named
  std::int64_t layers = 0;  // so many of its layers
  std::int64_t tensor_parallel = 1;

  auto operator<=>(const StepModel&) const = default;
};

/// One measured step: a row of steps.csv (docs/calibrate.md).
struct StepSample {
  std::string gpu{};
  std::string driver{};
  std::string version{};
  StepModel model{};
  StepShape shape{};
  std::int64_t count = 0;
  double median_s = 0;
  double noise_fraction = 0;
  double clock_mhz = 0;
};

/// Rows of a steps.csv, plain or gzip. Throws UserError with the place of what is wrong.
std::vector<StepSample> read_step_samples(const std::string& file);

/// A steps.csv that goes on where an earlier run has stopped.
class StepSampleLog {
 public:
  /// Throws UserError for a file that cannot be written or that has other columns.
  explicit StepSampleLog(const std::string& file);
  const std::vector<StepSample>& found() const { return found_; }
  void write(const StepSample& sample);

 private:
  RowLog rows_;
  std::vector<StepSample> found_{};
};

}  // namespace servecast
