#pragma once
#include <memory>

#include "calibrate/measure/cuda/buffers.h"
#include "kernels/stream.h"

namespace servecast {

/// A target with buffers of its own.
class Call {
 public:
  virtual ~Call() = default;
  /// Starts it; `stream` is the one that the bench waits for.
  virtual void start(Stream stream) = 0;
  /// What it reads and writes: how many of them it takes to be larger than the L2.
  virtual std::int64_t bytes() const = 0;
};

struct CallContext {
  Rng& rng;
  int processors = 1;    // SMs
  bool has_fp8 = false;  // matrix instructions for it
};

/// Null where no kernel is built for the target. They throw NoRoom.
std::unique_ptr<Call> make_product(const MeasureTarget& target, const CallContext& context);
std::unique_ptr<Call> make_attention(const MeasureTarget& target, const CallContext& context);
std::unique_ptr<Call> make_elementwise(const MeasureTarget& target, const CallContext& context);
std::unique_ptr<Call> make_copy(const MeasureTarget& target, const CallContext& context);

/// Into how many parts work of `blocks` blocks is split, each of at least one of `pieces`, so that all SMs have two.
int splits_for(std::int64_t blocks, std::int64_t pieces, int processors);

}  // namespace servecast
