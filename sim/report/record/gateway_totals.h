#pragma once
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "models/base/record.h"
#include "sim/report/statistics/any_order_sum.h"
#include "sim/report/statistics/histogram.h"
#include "sim/report/statistics/spread.h"

namespace servecast {

/// Counts of a stage of the gateway, reported as they are.
struct StageCounts {
  std::string policy{};
  std::int64_t requests = 0;
  std::int64_t answered = 0;
  std::int64_t follow_up_calls = 0;
  double usd = 0;
  bool operator==(const StageCounts&) const = default;
};

/// What a stage of the gateway has done to all requests.
struct GatewayStageFacts : StageCounts {
  Histogram delay_s{};  // that it added, of each time it was asked, verdicts on answers included
  std::int64_t prompt_tokens_in = 0;
  std::int64_t prompt_tokens_out = 0;
  struct Count {
    std::string name{};
    double value = 0;
  };
  std::vector<Count> counts{};
};

/// A pool or an API tier that can answer.
struct TargetFacts {
  std::string name{};
  std::int64_t llm_calls = 0;
  bool api = false;
  double usd = 0;  // of an API
};

/// One node of the graph that requests are worked out in: its LLM calls in those that were worked out to the end.
struct NodeFacts {
  std::string name{};
  std::int64_t llm_calls = 0;
  Histogram ttft_s{};  // since the LLM call was sent
  Histogram e2e_s{};
  std::int64_t prompt_tokens = 0;
  std::int64_t cached_tokens = 0;
  std::int64_t output_tokens = 0;
  std::int64_t critical = 0;  // requests that waited for it: it lay on their critical path
  double critical_s = 0;      // how long they did, tools included
};

struct GatewayFacts {
  std::vector<GatewayStageFacts> stages{};
  std::vector<TargetFacts> targets{};
  std::vector<NodeFacts> nodes{};
  std::int64_t job_workers = 0;
  bool scores_stated = false;
};

/// Requests that were worked out in several LLM calls.
struct GraphTotals {
  std::int64_t requests = 0;
  Spread makespan_s{};
  Spread node_time_s{};
  std::int64_t prompt_tokens = 0;
  std::int64_t output_tokens = 0;
  std::int64_t plain_prompt_tokens = 0;
  std::int64_t plain_output_tokens = 0;

  GraphTotals& operator+=(const GraphTotals& next) {
    requests += next.requests;
    makespan_s += next.makespan_s;
    node_time_s += next.node_time_s;
    prompt_tokens += next.prompt_tokens;
    output_tokens += next.output_tokens;
    plain_prompt_tokens += next.plain_prompt_tokens;
    plain_output_tokens += next.plain_output_tokens;
    return *this;
  }
  void add(const GraphRecord& r) {
    ++requests;
    makespan_s.add(r.makespan_s);
    node_time_s.add(r.node_time_s);
    prompt_tokens += r.prompt_tokens;
    output_tokens += r.output_tokens;
    plain_prompt_tokens += r.plain_prompt_tokens;
    plain_output_tokens += r.plain_output_tokens;
  }
};

/// Counts of requests that became jobs, reported as they are.
struct JobCounts {
  std::int64_t jobs = 0;
  std::int64_t refused = 0;
  std::int64_t started = 0;
  std::int64_t dropped = 0;
  std::int64_t due = 0;  // of which it is known whether they kept their deadline

  JobCounts& operator+=(const JobCounts& next) {
    jobs += next.jobs;
    refused += next.refused;
    started += next.started;
    dropped += next.dropped;
    due += next.due;
    return *this;
  }
  bool operator==(const JobCounts&) const = default;
};

/// Requests that became jobs.
struct JobTotals : JobCounts {
  Spread acknowledged_s{};
  Spread waited_s{};
  AnyOrderSum worker_s{};
  std::int64_t kept = 0;

  JobTotals& operator+=(const JobTotals& next) {
    JobCounts::operator+=(next);
    acknowledged_s += next.acknowledged_s;
    waited_s += next.waited_s;
    worker_s += next.worker_s;
    kept += next.kept;
    return *this;
  }
  void add(const JobRecord& r) {
    ++jobs;
    refused += r.refused;
    dropped += r.dropped;
    if (!r.refused) acknowledged_s.add(r.acknowledged_s);
    waited_s.add(r.waited_s);
    started += r.waited_s.has_value();
    worker_s.add(r.worker_s);
    due += r.kept.has_value();
    kept += r.kept.value_or(false);
  }
};

/// What the gateway made of the requests of one class.
struct GatewayTotals {
  std::int64_t completed = 0;
  std::int64_t scored = 0;
  AnyOrderSum score{};
  AnyOrderSum usd{};
  Spread gateway_s{};
  std::vector<std::int64_t> answers{};  // by target, the gateway's memory last
  Spread dispatch_s{};
  GraphTotals graphs{};
  JobTotals jobs{};

  void coarsen() {
    for (Spread* spread :
         {&gateway_s, &dispatch_s, &graphs.makespan_s, &graphs.node_time_s, &jobs.acknowledged_s, &jobs.waited_s})
      spread->coarsen();
  }
  GatewayTotals& operator+=(const GatewayTotals& next) {
    completed += next.completed;
    scored += next.scored;
    score += next.score;
    usd += next.usd;
    gateway_s += next.gateway_s;
    answers.resize(std::max(answers.size(), next.answers.size()));
    for (std::size_t i = 0; i < next.answers.size(); ++i) answers[i] += next.answers[i];
    dispatch_s += next.dispatch_s;
    graphs += next.graphs;
    jobs += next.jobs;
    return *this;
  }
  void add(const GatewayRecord& r, std::size_t targets) {
    answers.resize(targets + 1);
    gateway_s.add(r.gateway_s);
    usd.add(r.usd);
    dispatch_s.add(r.dispatch_s);
    if (r.graph) graphs.add(*r.graph);
    if (r.job) jobs.add(*r.job);
    if (!r.completed) return;
    ++completed;
    if (r.answered_by != GatewayRecord::no_target)
      ++answers[r.answered_by == GatewayRecord::memory ? targets : r.answered_by];
    if (!r.score) return;
    ++scored;
    score.add(*r.score);
  }
};

}  // namespace servecast
