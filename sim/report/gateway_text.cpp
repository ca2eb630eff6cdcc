#include "sim/report/gateway_text.h"

#include <fmt/format.h>

#include "sim/report/human.h"

namespace servecast {
namespace {

std::string seconds(const std::optional<Statistics>& s, double Statistics::*value) {
  return s ? human::seconds((*s).*value) : "-";
}

std::vector<std::string> stage_row(const StageSummary& s) {
  return {s.policy,
          human::count(s.requests),
          human::count(s.answered),
          human::count(s.second_passes),
          seconds(s.delay_s, &Statistics::mean),
          seconds(s.delay_s, &Statistics::p99),
          fmt::format("{} -> {}", human::number(s.prompt_tokens_in_mean), human::number(s.prompt_tokens_out_mean)),
          human::usd(s.usd)};
}

TextSection stages(const GatewaySummary& g) {
  TextSection section{.heading = "GATEWAY"};
  TextTable table(1);
  table.row({"", "requests", "answered", "2nd passes", "adds, mean", "p99", "prompt tokens", "cost"});
  for (const StageSummary& s : g.stages) table.row(stage_row(s));
  if (g.stages.size() > 1) table.row(stage_row(g.whole.front()));
  section.tables.push_back(std::move(table));
  if (g.dispatch)
    section.lines.push_back(
        fmt::format("  dispatch: p50 {}, p99 {}, jitter (p99 - p50) {}", human::seconds(g.dispatch->time_s.p50),
                    human::seconds(g.dispatch->time_s.p99), human::seconds(g.dispatch->jitter_s)));
  for (const StageSummary& s : g.stages) {
    if (s.counts.empty()) continue;
    std::string text;
    for (const StageCount& c : s.counts) text += (text.empty() ? "" : ", ") + c.name + " " + human::number(c.value);
    section.lines.push_back("  " + s.policy + ": " + text);
  }
  return section;
}

TextSection answers(const GatewaySummary& g) {
  TextSection section{.heading = "ANSWERS"};
  TextTable table(1);
  table.row({"", "passes", "answers", "of all"});
  for (const AnsweredBy& a : g.answered_by)
    table.row({a.target, human::count(a.passes), human::count(a.answers), human::percent(a.answers_fraction)});
  section.tables.push_back(std::move(table));
  TextTable bill(1);
  bill.row({"  bill", "in all", "per request"});
  for (const BillSummary& b : g.bill)
    bill.row({"  " + b.item, human::usd(b.usd), b.usd_per_request ? human::usd(*b.usd_per_request) : "-"});
  section.tables.push_back(std::move(bill));
  return section;
}

TextSection quality(const GatewaySummary& g) {
  TextSection section{.heading = "QUALITY, expected from the scenario's table of scores"};
  TextTable table(1);
  table.row({"", "requests", "with a score", "mean score"});
  for (const QualitySummary& q : g.quality)
    table.row({q.request_class.empty() ? "all" : q.request_class, human::count(q.requests), human::count(q.scored),
               q.score ? human::percent(*q.score) : "-"});
  section.tables.push_back(std::move(table));
  return section;
}

TextSection perceived(const GatewaySummary& g) {
  TextSection section{.heading = "PERCEIVED"};
  TextTable table(1);
  table.row({"", "first line p50", "p99", "JSON complete p50", "p99", "waits for text, mean", "p99"});
  for (const PerceivedSummary& p : g.perceived)
    table.row({p.request_class.empty() ? "all" : p.request_class, seconds(p.first_line_s, &Statistics::p50),
               seconds(p.first_line_s, &Statistics::p99), seconds(p.first_object_s, &Statistics::p50),
               seconds(p.first_object_s, &Statistics::p99), seconds(p.stall_s, &Statistics::mean),
               seconds(p.stall_s, &Statistics::p99)});
  section.tables.push_back(std::move(table));
  return section;
}

std::string tokens(double of_graph, double plain) {
  return fmt::format("{} instead of {}", human::number(of_graph), human::number(plain));
}

TextSection graph(const GatewaySummary& g) {
  TextSection section{.heading = "GRAPH"};
  section.lines.push_back(fmt::format("  {} requests; makespan p50 {}, p99 {}; all passes one after the other p50 {}",
                                      human::count(g.graph->requests), seconds(g.graph->makespan_s, &Statistics::p50),
                                      seconds(g.graph->makespan_s, &Statistics::p99),
                                      seconds(g.graph->node_time_s, &Statistics::p50)));
  section.lines.push_back(fmt::format("  tokens of a request: prompt {}, output {}",
                                      tokens(g.graph->prompt_tokens_mean, g.graph->plain_prompt_tokens_mean),
                                      tokens(g.graph->output_tokens_mean, g.graph->plain_output_tokens_mean)));
  TextTable table(1);
  table.row({"", "passes", "TTFT p50", "E2E p50", "p99", "prompt", "cached", "output", "waited for", "mean"});
  for (const NodeSummary& n : g.graph_nodes)
    table.row({n.node, human::count(n.passes), seconds(n.ttft_s, &Statistics::p50),
               seconds(n.e2e_s, &Statistics::p50), seconds(n.e2e_s, &Statistics::p99),
               human::number(n.prompt_tokens_mean), human::number(n.cached_tokens_mean),
               human::number(n.output_tokens_mean), human::percent(n.critical_fraction),
               human::seconds(n.critical_s_mean)});
  section.tables.push_back(std::move(table));
  return section;
}

TextSection jobs(const GatewaySummary& g) {
  TextSection section{.heading = "JOBS"};
  TextTable table(1);
  table.row({"", "jobs", "refused", "dropped", "acknowledged p99", "waited p50", "p99", "in time", "workers' time"});
  for (const JobSummary& j : g.jobs)
    table.row({j.request_class.empty() ? "all" : j.request_class, human::count(j.jobs), human::count(j.refused),
               human::count(j.dropped), seconds(j.acknowledged_s, &Statistics::p99),
               seconds(j.waited_s, &Statistics::p50), seconds(j.waited_s, &Statistics::p99),
               j.kept_fraction ? human::percent(*j.kept_fraction) : "-", human::percent(j.workers_fraction)});
  section.tables.push_back(std::move(table));
  return section;
}

}  // namespace

std::vector<TextSection> gateway_sections(const GatewaySummary& g) {
  std::vector<TextSection> sections;
  if (!g.stages.empty()) sections.push_back(stages(g));
  if (g.graph) sections.push_back(graph(g));
  if (!g.jobs.empty()) sections.push_back(jobs(g));
  if (!g.answered_by.empty()) sections.push_back(answers(g));
  if (!g.quality.empty()) sections.push_back(quality(g));
  if (!g.perceived.empty()) sections.push_back(perceived(g));
  return sections;
}

}  // namespace servecast
