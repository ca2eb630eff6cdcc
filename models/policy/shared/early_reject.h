#pragma once
#include <algorithm>

#include "models/base/counts.h"
#include "models/policy/admission.h"

namespace servecast {

/// What a pool promises, and what share may be used up before requests are turned away.
struct LoadLimits {
  double ttft_slo_s = 30;
  double tbt_slo_s = 0.1;
  double threshold = 1;
  void fields(Fields& f) {
    f.field("ttft_slo_s", ttft_slo_s, "time to first token that is a prefill load of 1", positive);
    f.field("tbt_slo_s", tbt_slo_s, "time of a decode step that is a decode load of 1", positive);
    f.field("threshold", threshold, "the larger of both loads up to which requests are taken on", positive);
  }
  bool allow(double ttft_s, double step_s) const {
    return std::max(ttft_s / ttft_slo_s, step_s / tbt_slo_s) <= threshold;
  }
};

/// Time to compute the prompts that are on the replica already, one after the other, as if nothing decoded beside
/// them. The views say how many tokens that is, not how they are spread: taken as equal prompts, since a prompt's
/// time grows faster than its length.
inline double queued_prefill_s(const ReplicaView& r, const PoolProbe& probe) {
  if (r.waiting_tokens == 0) return 0;
  const std::int64_t prompts = std::clamp<std::int64_t>(r.waiting_requests, 1, r.waiting_tokens);
  return static_cast<double>(prompts) * probe.prefill_s(r.waiting_tokens / prompts, 0);
}

/// What the request could expect of the replica that would serve it first.
inline double least_ttft_s(const Request& request, const ReplicaViews& replicas) {
  const PoolProbe& probe = replicas.probe();
  const auto ttft_s = [&](std::size_t i) {
    return queued_prefill_s(replicas[i], probe) +
           probe.prefill_s(request.prompt_tokens, probe.cached_tokens(request, i));
  };
  return ttft_s(least_position(replicas, ttft_s));
}

/// What decodes in a pool.
struct DecodeSide {
  std::int64_t requests = 0;
  std::int64_t kv_tokens = 0;
};

inline DecodeSide decoding_now(const ReplicaViews& decoding) {
  DecodeSide all;
  for (const ReplicaView& r : decoding) {
    all.requests += r.running_requests;
    all.kv_tokens += r.used_blocks * decoding.probe().block_tokens();
  }
  return all;
}

/// Time of a decode step where these and the request are spread evenly over the pool.
inline double even_step_s(DecodeSide all_decodes, const Request& request, const ReplicaViews& decoding) {
  const auto each = [&](std::int64_t all) {
    const auto count = static_cast<std::int64_t>(decoding.size());
    return divided_up(all, count);
  };
  return decoding.probe().decode_step_s(each(all_decodes.requests + 1),
                                        each(all_decodes.kv_tokens + request.prompt_tokens));
}

}  // namespace servecast
