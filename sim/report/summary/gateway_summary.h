#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/base/fields.h"
#include "sim/report/record/gateway_totals.h"
#include "sim/report/statistics/statistics.h"

namespace servecast {

class Recorder;
struct RunFacts;

// The gateway's part of summary.json. Members are spelled as the keys; all lists are empty without a gateway, a table
// of scores or readers.

/// A number that only one kind of stage knows.
struct StageCount {
  std::string name{};
  double value = 0;
  void fields(Fields& f);
  bool operator==(const StageCount&) const = default;
};

struct StageSummary : StageCounts {
  std::optional<Statistics> delay_s{};
  double prompt_tokens_in_mean = 0;
  double prompt_tokens_out_mean = 0;
  std::vector<StageCount> counts{};
  void fields(Fields& f);
  bool operator==(const StageSummary&) const = default;
};

/// A target that answered: a pool, an outside API, or the gateway's own memory.
struct AnsweredBy {
  std::string target{};
  std::int64_t llm_calls = 0;
  std::int64_t answers = 0;
  double answers_fraction = 0;
  void fields(Fields& f);
  bool operator==(const AnsweredBy&) const = default;
};

/// Expected scores of completed requests; those of the first entry, without a class, are of all classes.
struct QualitySummary {
  std::string request_class{};
  std::int64_t requests = 0;
  std::int64_t scored = 0;
  std::optional<double> score{};
  void fields(Fields& f);
  bool operator==(const QualitySummary&) const = default;
};

struct PerceivedSummary {
  std::string request_class{};
  std::optional<Statistics> first_line_s{};
  std::optional<Statistics> first_object_s{};
  std::optional<Statistics> stall_s{};
  void fields(Fields& f);
  bool operator==(const PerceivedSummary&) const = default;
};

/// One line of the bill.
struct BillSummary {
  std::string item{};
  double usd = 0;
  std::optional<double> usd_per_request{};
  void fields(Fields& f);
  bool operator==(const BillSummary&) const = default;
};

/// How long the gateway took until requests were where they were sent to, and by how much that varies.
struct DispatchSummary {
  Statistics time_s{};
  double jitter_s = 0;
  void fields(Fields& f);
  bool operator==(const DispatchSummary&) const = default;
};

/// One node of the graph.
struct NodeSummary {
  std::string node{};
  std::int64_t llm_calls = 0;
  std::optional<Statistics> ttft_s{};
  std::optional<Statistics> e2e_s{};
  double prompt_tokens_mean = 0;
  double cached_tokens_mean = 0;
  double output_tokens_mean = 0;
  double critical_fraction = 0;
  double critical_s_mean = 0;
  void fields(Fields& f);
  bool operator==(const NodeSummary&) const = default;
};

/// Requests that were worked out in several LLM calls, to their end.
struct GraphSummary {
  std::int64_t requests = 0;
  std::optional<Statistics> makespan_s{};
  std::optional<Statistics> node_time_s{};
  double prompt_tokens_mean = 0;
  double output_tokens_mean = 0;
  double plain_prompt_tokens_mean = 0;
  double plain_output_tokens_mean = 0;
  void fields(Fields& f);
  bool operator==(const GraphSummary&) const = default;
};

/// Requests that became jobs; the first entry, without a class, is of all classes.
struct JobSummary : JobCounts {
  std::string request_class{};
  std::optional<Statistics> acknowledged_s{};
  std::optional<Statistics> waited_s{};
  std::optional<double> kept_fraction{};
  double workers_fraction = 0;
  void fields(Fields& f);
  bool operator==(const JobSummary&) const = default;
};

struct GatewaySummary {
  std::vector<StageSummary> stages{};
  std::vector<StageSummary> whole{};  // one entry: all stages together
  std::vector<AnsweredBy> answered_by{};
  std::vector<QualitySummary> quality{};
  std::vector<PerceivedSummary> perceived{};
  std::vector<BillSummary> bill{};
  std::optional<DispatchSummary> dispatch{};
  std::optional<GraphSummary> graph{};
  std::vector<NodeSummary> graph_nodes{};
  std::vector<JobSummary> jobs{};
  void fields(Fields& f);
  bool operator==(const GatewaySummary&) const = default;
};

/// `usd_of_gpus` and `completed` are those of the whole run.
GatewaySummary summarise_gateway(const Recorder& recorder, const RunFacts& facts, double usd_of_gpus,
                                 std::int64_t completed);

}  // namespace servecast
