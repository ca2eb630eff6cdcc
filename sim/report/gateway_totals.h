#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "models/base/record.h"
#include "sim/report/any_order_sum.h"
#include "sim/report/histogram.h"
#include "sim/report/spread.h"

namespace servecast {

/// What a stage of the gateway has done to all requests.
struct GatewayStageFacts {
  std::string policy{};
  std::int64_t requests = 0;  // that it was asked about
  std::int64_t answered = 0;  // by itself
  std::int64_t second_passes = 0;
  Histogram delay_s{};  // that it added, of each time it was asked, verdicts on answers included
  double usd = 0;
  std::int64_t prompt_tokens_in = 0;
  std::int64_t prompt_tokens_out = 0;
  struct Count {
    std::string name{};
    double value = 0;
  };
  std::vector<Count> counts{};
};

/// Somebody who can answer.
struct TargetFacts {
  std::string name{};
  std::int64_t passes = 0;
  bool api = false;
  double usd = 0;  // of an API
};

struct GatewayFacts {
  std::vector<GatewayStageFacts> stages{};
  std::vector<TargetFacts> targets{};
  bool scores_stated = false;
};

/// What the gateway made of the requests of one class.
struct GatewayTotals {
  std::int64_t completed = 0;
  std::int64_t scored = 0;
  AnyOrderSum score{};
  AnyOrderSum usd{};
  Spread gateway_s{};
  std::vector<std::int64_t> answers{};  // by target, the gateway's memory last

  void add(const GatewayRecord& r, std::size_t targets) {
    answers.resize(targets + 1);
    gateway_s.add(r.gateway_s);
    usd.add(r.usd);
    if (!r.completed) return;
    ++completed;
    if (r.answered_by != GatewayRecord::no_one)
      ++answers[r.answered_by == GatewayRecord::memory ? targets : r.answered_by];
    if (!r.score) return;
    ++scored;
    score.add(*r.score);
  }
};

}  // namespace servecast
