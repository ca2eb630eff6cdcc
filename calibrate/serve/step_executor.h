#pragma once
#include <cstdint>
#include <span>

#include "calibrate/step/step_part.h"

namespace servecast {

/// Executes the steps of a server: a GPU, or for tests a formula. Its clock starts at 0.
class StepExecutor {
 public:
  virtual ~StepExecutor() = default;
  /// Tokens that its KV cache holds.
  virtual std::int64_t kv_tokens() const = 0;
  virtual double now_s() = 0;
  /// Nothing is to be done before.
  virtual void wait_until(double at_s) = 0;
  /// Returns when the tokens of those that emit are known.
  virtual void run(std::span<const StepPart> parts) = 0;
  /// The KV of a sequence is wanted no more. It may come back, and then begins anew.
  virtual void release(std::int64_t sequence) = 0;
};

}  // namespace servecast
