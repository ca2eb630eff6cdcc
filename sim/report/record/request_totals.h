#pragma once
#include <cstdint>
#include <optional>

#include "models/base/fields.h"
#include "models/base/record.h"
#include "sim/report/record/run_facts.h"
#include "sim/report/statistics/spread.h"

namespace servecast {

struct RequestCounts {
  std::int64_t arrived = 0;
  std::int64_t completed = 0;
  std::int64_t rejected = 0;
  std::int64_t shed = 0;
  std::int64_t timed_out = 0;
  std::int64_t lost = 0;
  std::int64_t unfinished = 0;

  RequestCounts& operator+=(const RequestCounts& next) {
    arrived += next.arrived;
    completed += next.completed;
    rejected += next.rejected;
    shed += next.shed;
    timed_out += next.timed_out;
    lost += next.lost;
    unfinished += next.unfinished;
    return *this;
  }
  void fields(Fields& f);
  bool operator==(const RequestCounts&) const = default;
};

/// All that a report says of a group of requests. Requests come and go, in any order; this is what stays of them.
struct RequestTotals {
  RequestCounts requests{};
  std::int64_t prompt_tokens = 0;  // of requests that got a first token
  std::int64_t output_tokens = 0;
  std::int64_t answered_tokens = 0;  // output tokens of completed requests
  std::optional<double> first_arrival_s{};
  double last_finish_s = 0;     // of completed requests
  std::int64_t attaining = 0;   // kept every bound that its class is promised
  std::int64_t left_queue = 0;  // given up by their clients before they were in a batch
  std::int64_t keeping_ttft = 0;
  std::int64_t keeping_tpot = 0;
  std::int64_t keeping_e2e = 0;
  Spread ttft_s{};          // of requests that no first use of kernels held up
  Spread held_up_ttft_s{};  // of the others
  Spread tpot_s{};
  Spread e2e_s{};
  Spread queue_s{};

  void add(const RequestRecord& record, const SloBounds& slo);
  /// Output tokens of completed requests, by the time from the first arrival until the last of them was complete.
  std::optional<double> output_tokens_per_s() const;
  RequestTotals& operator+=(const RequestTotals& next);
  void coarsen();
};

}  // namespace servecast
