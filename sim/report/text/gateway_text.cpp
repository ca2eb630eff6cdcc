#include "sim/report/text/gateway_text.h"

#include <fmt/format.h>

#include "sim/report/layout/human.h"
#include "sim/report/layout/item_table.h"

namespace servecast {
namespace {

std::string seconds(const std::optional<Statistics>& s, double Statistics::*value) {
  return s ? human::seconds((*s).*value) : "-";
}

TextSection stages(const GatewaySummary& g) {
  TextSection section{.heading = "GATEWAY"};
  std::vector<StageSummary> rows = g.stages;
  if (rows.size() > 1) rows.push_back(g.whole.front());
  section.tables.push_back(item_table({}, rows));
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
  return {.heading = "ANSWERS",
          .tables = {item_table({}, g.answered_by), item_table({.title = "  bill", .indent = "  "}, g.bill)}};
}

std::string tokens(double of_graph, double plain) {
  return fmt::format("{} instead of {}", human::number(of_graph), human::number(plain));
}

TextSection graph(const GatewaySummary& g) {
  TextSection section{.heading = "GRAPH"};
  section.lines.push_back(
      fmt::format("  {} requests; makespan p50 {}, p99 {}; all LLM calls one after the other p50 {}",
                  human::count(g.graph->requests), seconds(g.graph->makespan_s, &Statistics::p50),
                  seconds(g.graph->makespan_s, &Statistics::p99), seconds(g.graph->node_time_s, &Statistics::p50)));
  section.lines.push_back(fmt::format("  tokens of a request: prompt {}, output {}",
                                      tokens(g.graph->prompt_tokens_mean, g.graph->plain_prompt_tokens_mean),
                                      tokens(g.graph->output_tokens_mean, g.graph->plain_output_tokens_mean)));
  section.tables.push_back(item_table({}, g.graph_nodes));
  return section;
}

}  // namespace

std::vector<TextSection> gateway_sections(const GatewaySummary& g) {
  std::vector<TextSection> sections;
  if (!g.stages.empty()) sections.push_back(stages(g));
  if (g.graph) sections.push_back(graph(g));
  if (!g.jobs.empty()) sections.push_back({.heading = "JOBS", .tables = {item_table({}, g.jobs)}});
  if (!g.answered_by.empty()) sections.push_back(answers(g));
  if (!g.quality.empty())
    sections.push_back(
        {.heading = "QUALITY, expected from the scenario's table of scores", .tables = {item_table({}, g.quality)}});
  if (!g.perceived.empty()) sections.push_back({.heading = "PERCEIVED", .tables = {item_table({}, g.perceived)}});
  return sections;
}

}  // namespace servecast
