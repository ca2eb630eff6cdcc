#include "sim/report/summary/gateway_summary.h"

#include <algorithm>

#include "models/base/counts.h"
#include "sim/report/layout/human.h"
#include "sim/report/record/recorder.h"
#include "sim/report/record/run_facts.h"
#include "sim/report/statistics/ratio.h"

namespace servecast {
namespace {

double mean(std::int64_t sum, std::int64_t of) { return per(real(sum), real(of)); }

std::vector<StageSummary> stages_of(const GatewayFacts& facts) {
  std::vector<StageSummary> all;
  for (const GatewayStageFacts& s : facts.stages) {
    all.push_back({s});
    all.back().delay_s = s.delay_s.statistics();
    all.back().prompt_tokens_in_mean = mean(s.prompt_tokens_in, s.requests);
    all.back().prompt_tokens_out_mean = mean(s.prompt_tokens_out, s.requests - s.answered);
    for (const auto& count : s.counts) all.back().counts.push_back({count.name, count.value});
  }
  return all;
}

/// What all stages together did to each request.
std::vector<StageSummary> whole_of(const std::vector<StageSummary>& stages, const GatewayTotals& all,
                                   std::int64_t requests) {
  if (stages.empty()) return {};
  StageSummary whole{{.policy = "gateway", .requests = requests}};
  whole.delay_s = all.gateway_s.statistics();
  for (const StageSummary& s : stages) {
    whole.answered += s.answered;
    whole.follow_up_calls += s.follow_up_calls;
    whole.usd += s.usd;
  }
  whole.prompt_tokens_in_mean = stages.front().prompt_tokens_in_mean;
  whole.prompt_tokens_out_mean = stages.back().prompt_tokens_out_mean;
  return {whole};
}

std::vector<AnsweredBy> answered_by(const GatewayTotals& totals, const GatewayFacts& facts) {
  if (facts.stages.empty()) return {};
  std::vector<AnsweredBy> all;
  for (const TargetFacts& target : facts.targets)
    all.push_back({.target = target.name, .llm_calls = target.llm_calls});
  all.push_back({.target = "memory of the gateway"});
  for (std::size_t i = 0; i < totals.answers.size(); ++i) all[i].answers = totals.answers[i];
  for (AnsweredBy& a : all) a.answers_fraction = mean(a.answers, totals.completed);
  std::erase_if(all, [](const AnsweredBy& a) { return a.llm_calls == 0 && a.answers == 0; });
  return all;
}

/// First all, without a class; then class by class, where there are several.
template <class Entry>
std::vector<Entry> all_and_classes(Entry all, std::vector<Entry> classes) {
  if (classes.size() < 2) classes.clear();
  classes.insert(classes.begin(), std::move(all));
  return classes;
}

std::vector<QualitySummary> quality_of(const GatewayTotals& all, const Recorder& recorder, const RunFacts& facts) {
  if (!facts.gateway.scores_stated) return {};
  const auto summary = [](const std::string& name, const GatewayTotals& t) {
    return QualitySummary{name, t.completed, t.scored, ratio(t.score.value(), real(t.scored))};
  };
  std::vector<QualitySummary> classes;
  const auto totals = recorder.gateway_classes();
  for (std::size_t i = 0; i < totals.size(); ++i)
    if (totals[i].completed > 0) classes.push_back(summary(facts.classes[i], totals[i]));
  return all_and_classes(summary("", all), std::move(classes));
}

std::vector<PerceivedSummary> perceived_of(const Recorder& recorder, const RunFacts& facts) {
  const auto totals = recorder.perceived_classes();
  if (totals.empty()) return {};
  const auto summary = [](const std::string& name, const PerceivedTotals& t) {
    return PerceivedSummary{name, t.first_line_s.statistics(), t.first_object_s.statistics(), t.stall_s.statistics()};
  };
  std::vector<PerceivedSummary> classes;
  PerceivedTotals all;
  for (std::size_t i = 0; i < totals.size(); ++i) {
    all += totals[i];
    PerceivedSummary of_class = summary(facts.classes[i], totals[i]);
    if (of_class.first_line_s) classes.push_back(std::move(of_class));
  }
  return all_and_classes(summary("", all), std::move(classes));
}

std::vector<BillSummary> bill_of(const RunFacts& run, double usd_of_gpus, std::int64_t completed) {
  const GatewayFacts& facts = run.gateway;
  if (facts.stages.empty()) return {};
  std::vector<BillSummary> bill{{.item = "GPUs", .usd = usd_of_gpus}};
  if (const double usd = egress_usd(run.egress); usd > 0) bill.push_back({.item = "egress", .usd = usd});
  for (const GatewayStageFacts& s : facts.stages)
    if (s.usd > 0) bill.push_back({.item = s.policy, .usd = s.usd});
  for (const TargetFacts& t : facts.targets)
    if (t.api) bill.push_back({.item = "API " + t.name, .usd = t.usd});
  BillSummary all{.item = "all"};
  for (const BillSummary& line : bill) all.usd += line.usd;
  bill.push_back(all);
  for (BillSummary& line : bill) line.usd_per_request = ratio(line.usd, real(completed));
  return bill;
}

std::optional<DispatchSummary> dispatch_of(const GatewayTotals& all) {
  const auto statistics = all.dispatch_s.statistics();
  if (!statistics) return std::nullopt;
  return DispatchSummary{.time_s = *statistics, .jitter_s = statistics->p99 - statistics->p50};
}

std::optional<GraphSummary> graph_of(const GraphTotals& all, const GatewayFacts& facts) {
  if (facts.nodes.empty()) return std::nullopt;
  return GraphSummary{.requests = all.requests,
                      .makespan_s = all.makespan_s.statistics(),
                      .node_time_s = all.node_time_s.statistics(),
                      .prompt_tokens_mean = mean(all.prompt_tokens, all.requests),
                      .output_tokens_mean = mean(all.output_tokens, all.requests),
                      .plain_prompt_tokens_mean = mean(all.plain_prompt_tokens, all.requests),
                      .plain_output_tokens_mean = mean(all.plain_output_tokens, all.requests)};
}

std::vector<NodeSummary> nodes_of(const GatewayFacts& facts, std::int64_t graphs) {
  std::vector<NodeSummary> nodes;
  for (const NodeFacts& n : facts.nodes)
    nodes.push_back({.node = n.name,
                     .llm_calls = n.llm_calls,
                     .ttft_s = n.ttft_s.statistics(),
                     .e2e_s = n.e2e_s.statistics(),
                     .prompt_tokens_mean = mean(n.prompt_tokens, n.llm_calls),
                     .cached_tokens_mean = mean(n.cached_tokens, n.llm_calls),
                     .output_tokens_mean = mean(n.output_tokens, n.llm_calls),
                     .critical_fraction = mean(n.critical, graphs),
                     .critical_s_mean = per(n.critical_s, real(graphs))});
  return nodes;
}

std::vector<JobSummary> jobs_of(const GatewayTotals& all, const Recorder& recorder, const RunFacts& facts) {
  if (facts.gateway.job_workers == 0) return {};
  const double workers_s = real(facts.gateway.job_workers) * facts.duration_s;
  const auto summary = [&](const std::string& name, const JobTotals& t) {
    JobSummary s{t, name, t.acknowledged_s.statistics(), t.waited_s.statistics()};
    s.kept_fraction = ratio(real(t.kept), real(t.due));
    s.workers_fraction = per(t.worker_s.value(), workers_s);
    return s;
  };
  std::vector<JobSummary> classes;
  const auto totals = recorder.gateway_classes();
  for (std::size_t i = 0; i < totals.size(); ++i)
    if (totals[i].jobs.jobs > 0) classes.push_back(summary(facts.classes[i], totals[i].jobs));
  return all_and_classes(summary("", all.jobs), std::move(classes));
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

void StageCount::fields(Fields& f) {
  f.field("name", name, "what was counted");
  f.figure("value", value, "how many");
}

void StageSummary::fields(Fields& f) {
  f.field("policy", policy, "stage");
  f.figure("requests", requests, "that it was asked about", {.heading = "requests"});
  f.figure("answered", answered, "of these, answered by itself", {.heading = "answered"});
  f.figure("follow_up_calls", follow_up_calls, "LLM calls that it asked for when there was an answer",
           {.heading = "follow-ups"});
  f.figure("delay_s", delay_s, "time that it added, verdicts on answers included",
           {.better = Better::lower, .statistics = {{{"mean", "adds, mean"}, {"p99", "p99"}}}});
  f.figure("usd", usd, "what its calls cost", {.heading = "cost", .better = Better::lower});
  f.figure("prompt_tokens_in_mean", prompt_tokens_in_mean, "prompt tokens of a request that came",
           {.heading = "prompt tokens"});
  f.figure("prompt_tokens_out_mean", prompt_tokens_out_mean, "of one that went on", {.joint = " -> "});
  f.list("counts", counts, "what only this kind of stage counts");
}

void AnsweredBy::fields(Fields& f) {
  f.field("target", target, "pool, API tier, or the gateway's memory");
  f.figure("llm_calls", llm_calls, "that were sent there", {.heading = "LLM calls"});
  f.figure("answers", answers, "that clients got from there", {.heading = "answers"});
  f.figure("answers_fraction", answers_fraction, "share of all answers", {.heading = "of all"});
}

void QualitySummary::fields(Fields& f) {
  f.field("class", request_class, "class of requests; empty: all");
  f.figure("requests", requests, "completed", {.heading = "requests"});
  f.figure("scored", scored, "of these, with an expected score", {.heading = "with a score"});
  f.figure("score", score, "mean expected score of these, 0 to 1",
           {.heading = "mean score", .better = Better::higher, .text = human::percent});
}

void PerceivedSummary::fields(Fields& f) {
  f.field("class", request_class, "class of requests; empty: all");
  f.figure("first_line_s", first_line_s, "arrival to the end of the first field, where answers come line by line",
           {.better = Better::lower, .statistics = {{{"p50", "first line p50"}, {"p99", "p99"}}}});
  f.figure("first_object_s", first_object_s, "the same, where an answer is one JSON object",
           {.better = Better::lower, .statistics = {{{"p50", "JSON complete p50"}, {"p99", "p99"}}}});
  f.figure("stall_s", stall_s, "time in which the reader waits for more text",
           {.better = Better::lower, .statistics = {{{"mean", "waits for text, mean"}, {"p99", "p99"}}}});
}

void BillSummary::fields(Fields& f) {
  f.field("item", item, "what is paid for: GPUs, a stage, an API, all");
  f.figure("usd", usd, "in all", {.heading = "in all", .better = Better::lower});
  f.figure("usd_per_request", usd_per_request, "by completed requests",
           {.heading = "per request", .better = Better::lower});
}

void DispatchSummary::fields(Fields& f) {
  f.figure("time_s", time_s, "arrival, or start as a job, until the first LLM call is with its target",
           {.better = Better::lower});
  f.figure("jitter_s", jitter_s, "its p99 less its p50", {.better = Better::lower});
}

void NodeSummary::fields(Fields& f) {
  f.field("node", node, "node");
  f.figure("llm_calls", llm_calls, "of requests that were worked out to their end", {.heading = "LLM calls"});
  f.figure("ttft_s", ttft_s, "from the sending of an LLM call to its first token",
           {.better = Better::lower, .statistics = {{{"p50", "TTFT p50"}}}});
  f.figure("e2e_s", e2e_s, "to its last",
           {.better = Better::lower, .statistics = {{{"p50", "E2E p50"}, {"p99", "p99"}}}});
  f.figure("prompt_tokens_mean", prompt_tokens_mean, "of an LLM call", {.heading = "prompt"});
  f.figure("cached_tokens_mean", cached_tokens_mean, "of these, found in the KV cache", {.heading = "cached"});
  f.figure("output_tokens_mean", output_tokens_mean, "of an LLM call", {.heading = "output"});
  f.figure("critical_fraction", critical_fraction,
           "share of requests that waited for it: it lay on their critical path", {.heading = "waited for"});
  f.figure("critical_s_mean", critical_s_mean,
           "how long a request waits for it, its tools included; these add up to the mean makespan",
           {.heading = "mean"});
}

void GraphSummary::fields(Fields& f) {
  f.figure("requests", requests, "that were worked out to their end");
  f.figure("makespan_s", makespan_s, "from the first LLM call's start to the last one's end",
           {.better = Better::lower});
  f.figure("node_time_s", node_time_s, "all LLM calls and their tools, as if one came after the other");
  f.figure("prompt_tokens_mean", prompt_tokens_mean, "of all LLM calls of a request");
  f.figure("output_tokens_mean", output_tokens_mean, "likewise");
  f.figure("plain_prompt_tokens_mean", plain_prompt_tokens_mean, "of the request in one LLM call");
  f.figure("plain_output_tokens_mean", plain_output_tokens_mean, "likewise");
}

void JobSummary::fields(Fields& f) {
  f.field("class", request_class, "class of requests; empty: all");
  f.figure("jobs", jobs, "that came", {.heading = "jobs"});
  f.figure("refused", refused, "of these, since the queue was full", {.heading = "refused", .better = Better::lower});
  f.figure("started", started, "that had workers");
  f.figure("dropped", dropped, "cancelled at their deadline", {.heading = "dropped", .better = Better::lower});
  f.figure("acknowledged_s", acknowledged_s, "arrival until the client knows that its job was taken",
           {.better = Better::lower, .statistics = {{{"p99", "acknowledged p99"}}}});
  f.figure("waited_s", waited_s, "for workers, of those that had some",
           {.better = Better::lower, .statistics = {{{"p50", "waited p50"}, {"p99", "p99"}}}});
  f.figure("due", due, "jobs of which it is known whether they kept their deadline");
  f.figure("kept_fraction", kept_fraction, "share of these that did",
           {.heading = "in time", .better = Better::higher});
  f.figure("workers_fraction", workers_fraction, "share of the workers' time that they had",
           {.heading = "workers' time"});
}

void GatewaySummary::fields(Fields& f) {
  f.list("gateway", whole, "one entry: all stages together; left out without a gateway");
  f.list("gateway_stages", stages, "stage by stage");
  f.list("answered_by", answered_by, "targets that answered");
  f.list("quality", quality, "expected scores, where the scenario has a table of them: of all, then class by class");
  f.list("perceived", perceived, "what readers feel, where the scenario has readers: of all, then class by class");
  f.list("bill", bill, "what is paid for what, with a gateway; `cost` stays that of the GPUs and of egress");
  one_at_most(f, "dispatch", dispatch, "one entry: how long the gateway takes to hand requests on");
  one_at_most(f, "graph", graph, "one entry: requests worked out in several LLM calls");
  f.list("graph_nodes", graph_nodes, "node by node, where requests are worked out in several LLM calls");
  f.list("jobs", jobs, "requests that became jobs: all, then class by class where there are several");
}

GatewaySummary summarise_gateway(const Recorder& recorder, const RunFacts& facts, double usd_of_gpus,
                                 std::int64_t completed) {
  GatewayTotals all;
  for (const GatewayTotals& t : recorder.gateway_classes()) all += t;
  std::vector<StageSummary> stages = stages_of(facts.gateway);
  return {.stages = stages,
          .whole = whole_of(stages, all, recorder.count()),
          .answered_by = answered_by(all, facts.gateway),
          .quality = quality_of(all, recorder, facts),
          .perceived = perceived_of(recorder, facts),
          .bill = bill_of(facts, usd_of_gpus, completed),
          .dispatch = dispatch_of(all),
          .graph = graph_of(all.graphs, facts.gateway),
          .graph_nodes = nodes_of(facts.gateway, all.graphs.requests),
          .jobs = jobs_of(all, recorder, facts)};
}

}  // namespace servecast
