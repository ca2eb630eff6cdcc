#pragma once
#include <algorithm>

#include "models/policy/router.h"

namespace servecast {

// What SLO-aware policies expect of a replica, as Mooncake does: prompts by a fit over lengths (here the pool's own
// step times), one after the other, as if nothing decoded beside them (FAST 2025, section 5; arXiv 2407.00079).

/// Time to compute the prompts that are on the replica already. The views say how many tokens that is, not how they
/// are spread: taken as equal prompts, since a prompt's time grows faster than its length.
inline double queued_prefill_s(const ReplicaView& r, const PoolProbe& probe) {
  if (r.waiting_tokens == 0) return 0;
  const std::int64_t prompts = std::clamp<std::int64_t>(r.waiting_requests, 1, r.waiting_tokens);
  return static_cast<double>(prompts) * probe.prefill_s(r.waiting_tokens / prompts, 0);
}

/// Time of a decode step on the replica once the request decodes there, too.
inline double decode_step_s_with(const Request& request, const ReplicaView& r, const PoolProbe& probe) {
  return probe.decode_step_s(r.running_requests + 1, r.used_blocks * probe.block_tokens() + request.prompt_tokens);
}

}  // namespace servecast
