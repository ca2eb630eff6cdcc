#pragma once
#include <cstdint>

#include "calibrate/step/block_tables.h"

namespace servecast {

/// The largest step, and the KV cache.
struct StepLimits {
  std::int64_t tokens = 2048;
  std::int64_t sequences = 256;
  std::int64_t context = 8192;  // of any sequence
  std::int64_t kv_blocks = 0;
  std::int64_t block_tokens = measured_block_tokens;
};

}  // namespace servecast
