#pragma once
#include <cstdint>

#include "sim/serving/sequences/listener.h"
#include "sim/serving/sequences/sequence.h"

namespace servecast {

/// A sequence that decodes on a replica, and may go to another one.
struct DecodingSequence {
  Slot slot{};
  Request request{};
  std::uint32_t preemptions = 0;  // so far: after one more it is not the same any longer
  std::int64_t tokens = 0;        // that its KV holds
};

/// What has become of one.
struct DecodeProgress {
  std::int64_t computed_tokens = 0;  // that its KV holds
  std::int64_t tokens = 0;           // that it will hold when the batches under way have ended
};

/// A sequence leaves for another replica: what goes there, and the last batch under way that computes it.
struct DetachedSequence {
  MovingSequence sequence{};
  std::uint64_t last_batch = 0;  // 0: none
};

}  // namespace servecast
