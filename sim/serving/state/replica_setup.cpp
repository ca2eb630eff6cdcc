#include "sim/serving/state/replica_setup.h"

namespace servecast {

bool fits(const ReplicaSetup& setup, const Request& request) {
  const KvCache& cache = *setup.kv_cache;
  const std::int64_t drafted = setup.speculator ? setup.speculator->slots(setup.speculator->max_drafts()) : 0;
  const std::int64_t held = request.prompt_tokens + request.output_tokens - 1;  // the last one is never held
  const std::int64_t most_tokens = held + (cache.growth_tokens() > 0 && request.width() == 1 ? drafted : 0);
  return cache.most_blocks_for(request, most_tokens) <= cache.admissible_blocks() &&
         request.width() <= setup.batcher->max_sequences();
}

}  // namespace servecast
