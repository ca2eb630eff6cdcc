#pragma once
#include <span>
#include <vector>

#include "calibrate/serve/step_executor.h"
#include "models/base/record.h"
#include "models/policy/batcher.h"
#include "models/policy/kv_cache.h"
#include "models/policy/request.h"

namespace servecast {

/// The simulator's own, which decide what a step computes and which sequence gets blocks.
struct ServePolicies {
  Batcher& batcher;  // one that schedules a step when the one before it has ended (depth 1)
  KvCache& cache;    // one that shares nothing; not resized yet
};

/// A small server with continuous batching: requests come at their times on the executor's clock, first come, first
/// served; the batcher says what each step computes, and the executor computes it. Requests in order of arrival, of
/// one output each. One that could never fit into the KV cache is rejected. Records in the order of the requests.
std::vector<RequestRecord> serve(std::span<const Request> requests, const ServePolicies& policies,
                                 StepExecutor& executor);

}  // namespace servecast
