#pragma once
#include <optional>

#include "models/base/record.h"
#include "sim/report/record/run_facts.h"

namespace servecast {

// What a client feels, from what was recorded of its request. Nothing where the request did not get that far.

/// Time to the first token, queueing included.
inline std::optional<double> ttft_s(const RequestRecord& r) {
  if (!r.first_token_s) return std::nullopt;
  return *r.first_token_s - r.arrival_s;
}

/// Mean time per output token after the first, of finished requests with two or more.
inline std::optional<double> tpot_s(const RequestRecord& r) {
  if (r.status != RequestStatus::completed || r.output_tokens < 2) return std::nullopt;
  return (*r.finish_s - *r.first_token_s) / static_cast<double>(r.output_tokens - 1);
}

/// From arrival to the last token.
inline std::optional<double> e2e_s(const RequestRecord& r) {
  if (r.status != RequestStatus::completed) return std::nullopt;
  return *r.finish_s - r.arrival_s;
}

/// From arrival to the first step that works on it.
inline std::optional<double> queue_s(const RequestRecord& r) {
  if (!r.scheduled_s) return std::nullopt;
  return *r.scheduled_s - r.arrival_s;
}

/// A bound that is not stated holds for a request that has finished; so does the bound on TPOT for a single token.
inline bool keeps(const RequestRecord& r, std::optional<double> bound, std::optional<double> value) {
  return r.status == RequestStatus::completed && (!bound || !value || *value <= *bound);
}

/// Every bound that its class is promised.
inline bool keeps_all(const RequestRecord& r, const SloFacts& slo) {
  const SloBounds& own = slo.of(r.request_class);
  return keeps(r, own.ttft_s, ttft_s(r)) && keeps(r, own.tpot_s, tpot_s(r)) && keeps(r, own.e2e_s, e2e_s(r));
}

}  // namespace servecast
