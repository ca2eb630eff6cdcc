#include "models/policy/stages/router_skill.h"
#include "sim/reproduce/probes/simulated.h"
#include "sim/reproduce/reproduction.h"

namespace servecast::s19_routellm {
namespace {

struct Benchmark {
  std::string name;
  double weak;    // Mixtral-8x7B
  double strong;  // GPT-4-1106
  double apgr;    // of RouteLLM's best router on it
  double calls_50, calls_80;
  double saving;  // against calls at random, at half of the gap
};
const std::vector<Benchmark> benchmarks{{"MT-Bench", 0.83, 0.93, 0.802, 0.1340, 0.3131, 3.66},
                                        {"MMLU", 0.69, 0.81, 0.600, 0.3549, 0.7031, 1.41},
                                        {"GSM8K", 0.64, 0.86, 0.622, 0.3364, 0.6326, 1.49}};

/// Score, share answered by the strong model, USD, with a share of calls to the strong model.
ProbePtr routed(const Benchmark& b, double share, double apgr) {
  return run_probe({.scenario = "s19_routellm",
                    .set = {{"gateway[2].strong_fraction", std::to_string(share)},
                            {"gateway[2].apgr", std::to_string(apgr)},
                            {"quality[0].score", std::to_string(b.weak)},
                            {"quality[1].score", std::to_string(b.strong)}}},
                   {[](const PaperRecords& run) { return *run.summary.gateway.quality.front().score; },
                    [](const PaperRecords& run) { return run.summary.gateway.answered_by[1].answers_fraction; },
                    [](const PaperRecords& run) { return run.summary.gateway.bill.back().usd; }});
}

void add(PaperSystem& system, const Benchmark& b) {
  const RouterSkill router(b.apgr);
  const auto calls = [&](const std::string& of, double published, double ours) {
    system.rows.push_back({.figure = b.name + ": calls that recover " + of,
                           .unit = as_percent(1),
                           .published = exactly(published),
                           .asked = around(published, 0.03),
                           .ours = ours});
  };
  calls("50 %", b.calls_50, router.calls(0.5));
  calls("80 %", b.calls_80, router.calls(0.8));
  const ProbePtr run = routed(b, router.calls(0.5), b.apgr);
  const ProbePtr random = routed(b, 0.5, 0.5);
  system.rows.push_back({.figure = b.name + ": gap recovered in a run with so many calls",
                         .unit = as_percent(1),
                         .published = exactly(0.5),
                         .asked = around(0.5, 0.03),
                         .ours = (Quantity(run) - b.weak) / (b.strong - b.weak)});
  system.rows.push_back({.figure = b.name + ": calls in that run",
                         .unit = as_percent(1),
                         .published = exactly(b.calls_50),
                         .asked = around(router.calls(0.5), 0.01),
                         .ours = Quantity(run, 1)});
  system.rows.push_back({.figure = b.name + ": saving against random calls",
                         .unit = as_times(),
                         .published = exactly(b.saving),
                         .asked = within(0.1, b.saving),
                         .ours = Quantity(random, 2) / Quantity(run, 2)});
}

}  // namespace

PaperSystem all_figures() {
  PaperSystem system{
      .id = "S19",
      .title = "RouteLLM",
      .source = "arXiv 2406.18665, tables 1 to 3: calls to GPT-4 that recover its lead over Mixtral-8x7B"};
  for (const Benchmark& b : benchmarks) add(system, b);
  const RouterSkill arena(0.58);  // trained on arena data alone, MT-Bench
  const std::string shape = "one number does not tell the shape of that curve";
  system.rows.push_back({.figure = "MT-Bench, arena data alone: calls that recover 50 %",
                         .unit = as_percent(1),
                         .published = exactly(0.2532),
                         .asked = around(0.2532, 0.03),
                         .ours = arena.calls(0.5),
                         .missed = shape});
  system.rows.push_back({.figure = "MT-Bench, arena data alone: calls that recover 80 %",
                         .unit = as_percent(1),
                         .published = exactly(0.7426),
                         .asked = around(0.7426, 0.03),
                         .ours = arena.calls(0.8),
                         .missed = shape});
  return system;
}

}  // namespace servecast::s19_routellm
