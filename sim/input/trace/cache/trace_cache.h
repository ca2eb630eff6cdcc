#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "models/policy/workload.h"
#include "sim/input/trace/rows/workload_notes.h"

namespace servecast {

/// Which caches `servecast trace cache` tries.
struct TraceCacheSpec {
  std::vector<std::int64_t> blocks{};   // sizes, 1 or more each
  std::vector<std::string> policies{};  // names of evictions
  double warm_up_fraction = 0.5;        // of the requests: they fill the cache and are not counted; below 1
};

/// What came out of one cache.
struct TraceCacheResult {
  std::string policy{};
  std::int64_t blocks = 0;
  std::int64_t hit_tokens = 0;  // of the counted requests' prompts
  bool filled = false;          // the cache had been full before counting began
};

struct TraceCacheReport {
  std::int64_t requests = 0;
  std::int64_t warm_up_requests = 0;                   // the first ones of them
  std::map<std::string, std::int64_t> skipped_rows{};  // why -> how many
  std::int64_t distinct_blocks = 0;                    // a block behind another prefix is another block
  std::int64_t prompt_tokens = 0;                      // of the counted requests
  std::int64_t unlimited_hit_tokens = 0;               // with a cache that forgets nothing
  std::vector<TraceCacheResult> results{};             // by policy, then by blocks, in the order asked for

  double fraction(std::int64_t hit_tokens) const {
    return prompt_tokens == 0 ? 0 : static_cast<double>(hit_tokens) / static_cast<double>(prompt_tokens);
  }
};

/// Replays the requests, in their order and without time, through every cache asked for. Uses the workload up.
TraceCacheReport replay_through_caches(Workload& workload, const TraceCacheSpec& spec, const WorkloadNotes& notes);

std::string to_text(const TraceCacheReport& report);
std::string to_json(const TraceCacheReport& report);
std::string to_csv(const TraceCacheReport& report);

}  // namespace servecast
