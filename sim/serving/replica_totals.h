#pragma once
#include <cstdint>

namespace servecast {

/// What a replica did so far, in sums.
struct ReplicaTotals {
  std::int64_t steps = 0;
  double busy_s = 0;          // averaged over its pipeline stages
  double extrapolated_s = 0;  // the part of it from step times outside their fitted range
  double kv_block_s = 0;      // KV blocks held, integrated over time
  std::int64_t kv_blocks_max = 0;
  std::int64_t preemptions = 0;
  double step_energy_j = 0;        // of its GPUs while in a step
  std::int64_t prompt_tokens = 0;  // computed, recomputed ones included
  std::int64_t found_tokens = 0;   // of prompts, in the GPU's memory without a fetch
  std::int64_t output_tokens = 0;
  std::int64_t adapter_hits = 0;
  std::int64_t adapter_loads = 0;
  double adapter_stall_s = 0;
};

}  // namespace servecast
