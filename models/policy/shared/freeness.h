#pragma once
#include <algorithm>

#include "models/base/counts.h"
#include "models/policy/router.h"

namespace servecast {

/// Llumnix's measure of load: KV blocks that are free, less those that waiting prompts will take, per request. About
/// how many more blocks each of its requests can fill before memory runs short; below 0 where prompts wait that do
/// not fit.
inline double freeness(const ReplicaView& r, std::int64_t block_tokens) {
  const std::int64_t wanted = divided_up(r.waiting_tokens, block_tokens);
  const std::int64_t requests = std::max<std::int64_t>(1, r.running_requests + r.waiting_requests);
  return static_cast<double>(r.total_blocks - r.used_blocks - wanted) / static_cast<double>(requests);
}

}  // namespace servecast
