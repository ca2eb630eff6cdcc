#include "sim/report/gateway_summary.h"

#include <algorithm>

#include "models/base/counts.h"
#include "sim/report/recorder.h"
#include "sim/report/run_facts.h"

namespace servecast {
namespace {

std::optional<double> ratio(double part, std::int64_t whole) {
  if (whole == 0) return std::nullopt;
  return part / real(whole);
}

std::vector<StageSummary> stages_of(const GatewayFacts& facts) {
  std::vector<StageSummary> all;
  for (const GatewayStageFacts& s : facts.stages) {
    all.push_back({.policy = s.policy,
                   .requests = s.requests,
                   .answered = s.answered,
                   .second_passes = s.second_passes,
                   .delay_s = s.delay_s.statistics(),
                   .usd = s.usd,
                   .prompt_tokens_in_mean = ratio(real(s.prompt_tokens_in), s.requests).value_or(0),
                   .prompt_tokens_out_mean = ratio(real(s.prompt_tokens_out), s.requests - s.answered).value_or(0)});
    for (const auto& count : s.counts) all.back().counts.push_back({count.name, count.value});
  }
  return all;
}

/// What all stages together did to each request.
std::vector<StageSummary> whole_of(const Recorder& recorder, const GatewayFacts& facts) {
  if (facts.stages.empty()) return {};
  StageSummary whole{.policy = "gateway", .requests = recorder.count()};
  Spread delay_s;
  for (const GatewayTotals& t : recorder.gateway_classes()) delay_s.merge(t.gateway_s);
  whole.delay_s = delay_s.statistics();
  for (const GatewayStageFacts& s : facts.stages) {
    whole.answered += s.answered;
    whole.second_passes += s.second_passes;
    whole.usd += s.usd;
  }
  const GatewayStageFacts& first = facts.stages.front();
  whole.prompt_tokens_in_mean = ratio(real(first.prompt_tokens_in), first.requests).value_or(0);
  const GatewayStageFacts& last = facts.stages.back();
  whole.prompt_tokens_out_mean = ratio(real(last.prompt_tokens_out), last.requests - last.answered).value_or(0);
  return {whole};
}

std::vector<AnsweredBy> answered_by(const Recorder& recorder, const GatewayFacts& facts) {
  if (facts.stages.empty()) return {};
  std::vector<AnsweredBy> all;
  for (const TargetFacts& target : facts.targets) all.push_back({.target = target.name, .passes = target.passes});
  all.push_back({.target = "memory of the gateway"});
  std::int64_t completed = 0;
  for (const GatewayTotals& t : recorder.gateway_classes()) {
    completed += t.completed;
    for (std::size_t i = 0; i < t.answers.size(); ++i) all[i].answers += t.answers[i];
  }
  for (AnsweredBy& a : all) a.answers_fraction = ratio(real(a.answers), completed).value_or(0);
  std::erase_if(all, [](const AnsweredBy& a) { return a.passes == 0 && a.answers == 0; });
  return all;
}

std::vector<QualitySummary> quality_of(const Recorder& recorder, const RunFacts& facts) {
  if (!facts.gateway.scores_stated) return {};
  std::vector<QualitySummary> classes;
  QualitySummary all;
  AnyOrderSum sum;
  const auto totals = recorder.gateway_classes();
  for (std::size_t i = 0; i < totals.size(); ++i) {
    const GatewayTotals& t = totals[i];
    all.requests += t.completed;
    all.scored += t.scored;
    sum.merge(t.score);
    if (t.completed > 0)
      classes.push_back({facts.classes[i], t.completed, t.scored, ratio(t.score.value(), t.scored)});
  }
  all.score = ratio(sum.value(), all.scored);
  if (classes.size() < 2) classes.clear();
  classes.insert(classes.begin(), all);
  return classes;
}

std::vector<PerceivedSummary> perceived_of(const Recorder& recorder, const RunFacts& facts) {
  std::vector<PerceivedSummary> classes;
  const auto totals = recorder.perceived_classes();
  for (std::size_t i = 0; i < totals.size(); ++i)
    if (const auto lines = totals[i].first_line_s.statistics())
      classes.push_back(
          {facts.classes[i], lines, totals[i].first_object_s.statistics(), totals[i].stall_s.statistics()});
  if (totals.empty()) return classes;
  PerceivedTotals all;
  for (const PerceivedTotals& t : totals) {
    all.first_line_s.merge(t.first_line_s);
    all.first_object_s.merge(t.first_object_s);
    all.stall_s.merge(t.stall_s);
  }
  if (classes.size() < 2) classes.clear();
  classes.insert(classes.begin(), PerceivedSummary{"", all.first_line_s.statistics(), all.first_object_s.statistics(),
                                                   all.stall_s.statistics()});
  return classes;
}

std::vector<BillSummary> bill_of(const GatewayFacts& facts, double usd_of_gpus, std::int64_t completed) {
  if (facts.stages.empty()) return {};
  std::vector<BillSummary> bill{{.item = "GPUs", .usd = usd_of_gpus}};
  for (const GatewayStageFacts& s : facts.stages)
    if (s.usd > 0) bill.push_back({.item = s.policy, .usd = s.usd});
  for (const TargetFacts& t : facts.targets)
    if (t.api) bill.push_back({.item = "API " + t.name, .usd = t.usd});
  BillSummary all{.item = "all"};
  for (const BillSummary& line : bill) all.usd += line.usd;
  bill.push_back(all);
  for (BillSummary& line : bill) line.usd_per_request = ratio(line.usd, completed);
  return bill;
}

std::optional<DispatchSummary> dispatch_of(const Recorder& recorder) {
  Spread time_s;
  for (const GatewayTotals& t : recorder.gateway_classes()) time_s.merge(t.dispatch_s);
  const auto statistics = time_s.statistics();
  if (!statistics) return std::nullopt;
  return DispatchSummary{.time_s = *statistics, .jitter_s = statistics->p99 - statistics->p50};
}

std::optional<GraphSummary> graph_of(const Recorder& recorder, const GatewayFacts& facts) {
  if (facts.nodes.empty()) return std::nullopt;
  GraphTotals all;
  for (const GatewayTotals& t : recorder.gateway_classes()) all.merge(t.graphs);
  const auto mean = [&](std::int64_t tokens) { return ratio(real(tokens), all.requests).value_or(0); };
  return GraphSummary{.requests = all.requests,
                      .makespan_s = all.makespan_s.statistics(),
                      .node_time_s = all.node_time_s.statistics(),
                      .prompt_tokens_mean = mean(all.prompt_tokens),
                      .output_tokens_mean = mean(all.output_tokens),
                      .plain_prompt_tokens_mean = mean(all.plain_prompt_tokens),
                      .plain_output_tokens_mean = mean(all.plain_output_tokens)};
}

std::vector<NodeSummary> nodes_of(const GatewayFacts& facts, std::int64_t graphs) {
  std::vector<NodeSummary> nodes;
  for (const NodeFacts& n : facts.nodes)
    nodes.push_back({.node = n.name,
                     .passes = n.passes,
                     .ttft_s = n.ttft_s.statistics(),
                     .e2e_s = n.e2e_s.statistics(),
                     .prompt_tokens_mean = ratio(real(n.prompt_tokens), n.passes).value_or(0),
                     .cached_tokens_mean = ratio(real(n.cached_tokens), n.passes).value_or(0),
                     .output_tokens_mean = ratio(real(n.output_tokens), n.passes).value_or(0),
                     .critical_fraction = ratio(real(n.critical), graphs).value_or(0),
                     .critical_s_mean = ratio(n.critical_s, graphs).value_or(0)});
  return nodes;
}

std::vector<JobSummary> jobs_of(const Recorder& recorder, const RunFacts& facts) {
  if (facts.gateway.job_workers == 0) return {};
  const double workers_s = real(facts.gateway.job_workers) * facts.duration_s;
  const auto summary = [&](const std::string& name, const JobTotals& t) {
    return JobSummary{.request_class = name,
                      .jobs = t.jobs,
                      .refused = t.refused,
                      .started = t.started,
                      .dropped = t.dropped,
                      .acknowledged_s = t.acknowledged_s.statistics(),
                      .waited_s = t.waited_s.statistics(),
                      .due = t.due,
                      .kept_fraction = ratio(real(t.kept), t.due),
                      .workers_fraction = workers_s > 0 ? t.worker_s.value() / workers_s : 0};
  };
  std::vector<JobSummary> classes;
  JobTotals all;
  const auto totals = recorder.gateway_classes();
  for (std::size_t i = 0; i < totals.size(); ++i) {
    all.merge(totals[i].jobs);
    if (totals[i].jobs.jobs > 0) classes.push_back(summary(facts.classes[i], totals[i].jobs));
  }
  if (classes.size() < 2) classes.clear();
  classes.insert(classes.begin(), summary("", all));
  return classes;
}

/// A list, of which nothing is written where it is empty.
template <class T>
void one_at_most(Fields& f, std::string_view key, std::optional<T>& value, std::string_view help) {
  std::vector<T> list;
  if (value) list.push_back(*value);
  f.list(key, list, help);
  value = list.empty() ? std::nullopt : std::optional(list.front());
}

}  // namespace

void StageSummary::fields(Fields& f) {
  f.field("policy", policy, "stage");
  f.field("requests", requests, "that it was asked about");
  f.field("answered", answered, "of these, answered by itself");
  f.field("second_passes", second_passes, "passes that it asked for when there was an answer");
  f.group("delay_s", delay_s, "time that it added");
  f.field("usd", usd, "what its calls cost");
  f.field("prompt_tokens_in_mean", prompt_tokens_in_mean, "prompt tokens of a request that came");
  f.field("prompt_tokens_out_mean", prompt_tokens_out_mean, "of one that went on");
  f.list("counts", counts, "what only this kind of stage counts");
}

void AnsweredBy::fields(Fields& f) {
  f.field("target", target, "pool, API tier, or the gateway's memory");
  f.field("passes", passes, "that were sent there");
  f.field("answers", answers, "that clients got from there");
  f.field("answers_fraction", answers_fraction, "share of all answers", fraction);
}

void QualitySummary::fields(Fields& f) {
  f.field("class", request_class, "class of requests; empty: all");
  f.field("requests", requests, "completed");
  f.field("scored", scored, "of these, with an expected score");
  f.field("score", score, "mean expected score of these", fraction);
}

void PerceivedSummary::fields(Fields& f) {
  f.field("class", request_class, "class of requests; empty: all");
  f.group("first_line_s", first_line_s, "arrival to the end of the first field, where answers come line by line");
  f.group("first_object_s", first_object_s, "the same, where an answer is one JSON object");
  f.group("stall_s", stall_s, "time in which the reader waits for more text");
}

void BillSummary::fields(Fields& f) {
  f.field("item", item, "what is paid for");
  f.field("usd", usd, "in all");
  f.field("usd_per_request", usd_per_request, "by completed requests");
}

void DispatchSummary::fields(Fields& f) {
  f.group("time_s", time_s, "arrival, or start as a job, until the first pass is with whom it was sent to");
  f.field("jitter_s", jitter_s, "its p99 less its p50");
}

void NodeSummary::fields(Fields& f) {
  f.field("node", node, "node");
  f.field("passes", passes, "of requests that were worked out to their end");
  f.group("ttft_s", ttft_s, "from the sending of a pass to its first token");
  f.group("e2e_s", e2e_s, "to its last");
  f.field("prompt_tokens_mean", prompt_tokens_mean, "of a pass");
  f.field("cached_tokens_mean", cached_tokens_mean, "of these, found in the KV cache");
  f.field("output_tokens_mean", output_tokens_mean, "of a pass");
  f.field("critical_fraction", critical_fraction, "share of requests that waited for it", fraction);
  f.field("critical_s_mean", critical_s_mean, "how long a request waits for it, its tools included");
}

void GraphSummary::fields(Fields& f) {
  f.field("requests", requests, "that were worked out to their end");
  f.group("makespan_s", makespan_s, "from the first pass's start to the last one's end");
  f.group("node_time_s", node_time_s, "all passes and their tools, as if one came after the other");
  f.field("prompt_tokens_mean", prompt_tokens_mean, "of all passes of a request");
  f.field("output_tokens_mean", output_tokens_mean, "likewise");
  f.field("plain_prompt_tokens_mean", plain_prompt_tokens_mean, "of the request in one pass");
  f.field("plain_output_tokens_mean", plain_output_tokens_mean, "likewise");
}

void JobSummary::fields(Fields& f) {
  f.field("class", request_class, "class of requests; empty: all");
  f.field("jobs", jobs, "that came");
  f.field("refused", refused, "of these, since the queue was full");
  f.field("started", started, "that had workers");
  f.field("dropped", dropped, "cancelled at their deadline");
  f.group("acknowledged_s", acknowledged_s, "arrival until the client knows that its job was taken");
  f.group("waited_s", waited_s, "for workers, of those that had some");
  f.field("due", due, "jobs of which it is known whether they kept their deadline");
  f.field("kept_fraction", kept_fraction, "share of these that did", fraction);
  f.field("workers_fraction", workers_fraction, "share of the workers' time that they had", fraction);
}

void GatewaySummary::fields(Fields& f) {
  f.list("gateway", whole, "all stages together; empty without a gateway");
  f.list("gateway_stages", stages, "stage by stage");
  f.list("answered_by", answered_by, "who answered");
  f.list("quality", quality, "how good the answers are expected to be; empty where nothing is stated");
  f.list("perceived", perceived, "what readers feel; empty where nobody is said to read");
  f.list("bill", bill, "what is paid for what, with a gateway");
  one_at_most(f, "dispatch", dispatch, "how long the gateway takes to hand requests on; empty without one");
  one_at_most(f, "graph", graph, "requests worked out in several passes; empty where none is");
  f.list("graph_nodes", graph_nodes, "node by node; empty without a graph");
  f.list("jobs", jobs, "requests that became jobs; empty where none does");
}

GatewaySummary summarise_gateway(const Recorder& recorder, const RunFacts& facts, double usd_of_gpus,
                                 std::int64_t completed) {
  const std::optional<GraphSummary> graph = graph_of(recorder, facts.gateway);
  return {.stages = stages_of(facts.gateway),
          .whole = whole_of(recorder, facts.gateway),
          .answered_by = answered_by(recorder, facts.gateway),
          .quality = quality_of(recorder, facts),
          .perceived = perceived_of(recorder, facts),
          .bill = bill_of(facts.gateway, usd_of_gpus, completed),
          .dispatch = dispatch_of(recorder),
          .graph = graph,
          .graph_nodes = nodes_of(facts.gateway, graph ? graph->requests : 0),
          .jobs = jobs_of(recorder, facts)};
}

}  // namespace servecast
