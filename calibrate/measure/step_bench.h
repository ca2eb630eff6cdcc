#pragma once
#include <memory>
#include <string>
#include <vector>

#include "calibrate/measure/gpu_bench.h"
#include "calibrate/samples/step_samples.h"
#include "calibrate/serve/step_executor.h"
#include "models/hw/llm/llm.h"

namespace servecast {

/// A GPU on which whole steps of one decoder are timed. A test has one of its own.
class StepBench {
 public:
  virtual ~StepBench() = default;
  virtual std::string driver() const = 0;
  /// Makes the step and warms up; false where its KV does not fit.
  virtual bool prepare(const StepShape& shape) = 0;
  /// Takes what was prepared `count` times: seconds in which the GPU was busy with each.
  virtual TimedCalls run(int count) = 0;
  /// Seconds on a clock that never goes back.
  virtual double now_s() = 0;
  /// Lets the GPU cool down.
  virtual void pause(double seconds) = 0;
};

/// Those of this machine, with the shard (shard_of()) on its first GPU. Throw DeviceError, also where not even the
/// weights fit.
std::unique_ptr<StepBench> open_step_bench(const Llm& shard, const std::vector<StepShape>& shapes);
/// Steps of at most so many tokens and sequences, of at most `context` tokens each.
struct ServerSize {
  std::int64_t step_tokens = 0;
  std::int64_t sequences = 0;
  std::int64_t context = 0;
};
std::unique_ptr<StepExecutor> open_step_executor(const Llm& llm, const ServerSize& size);

}  // namespace servecast
