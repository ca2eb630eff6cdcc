#include "sim/engine/run/run.h"

#include <optional>

#include "sim/engine/links/link_meter.h"
#include "sim/engine/links/network.h"
#include "sim/engine/links/simgrid_engine.h"
#include "sim/engine/links/wiring.h"
#include "sim/engine/run/collect_facts.h"
#include "sim/engine/run/liveness.h"
#include "sim/engine/run/simulation.h"
#include "sim/engine/time/fault.h"
#include "sim/input/scenario/scenario.h"
#include "sim/report/record/recorder.h"
#include "sim/report/record/run_facts.h"

namespace servecast {
namespace {

/// What the parts of one run share.
struct Run {
  Run(Scenario& scenario, Recorder& recorder, const RunOptions& options)
      : wiring(scenario), network(wiring.platform().links), simulation(scenario, recorder, options) {}

  Wiring wiring;
  Network network;
  Simulation simulation;
  std::optional<LinkMeter> links{};
};

void simulation_actor(Run& run) {
  for (;;) {
    const double at_s = run.simulation.next_s();
    // Nothing is repaired once no request is left: what waits for that never ends.
    if (at_s == Replica::infinity && (run.network.idle() || run.simulation.flows().all_cut())) return;
    if (run.network.wait_until(at_s)) run.simulation.handle(at_s);
    for (const EndedFlow& flow : run.network.take_ended()) run.simulation.flows().ended(flow);
  }
}

std::string link_names(const Platform& platform, const Path& path) {
  std::string names;
  for (const std::size_t link : path.links) names += (names.empty() ? "" : " ") + platform.links[link].name;
  return names;
}

void listen_to_flows(Run& run, DetailListener& detail) {
  detail.platform(run.wiring.platform());
  run.simulation.flows().set_observer([&](std::int64_t flow, const FinishedTransfer& t) {
    const Transfer& transfer = *t.transfer;
    const std::string links = link_names(run.wiring.platform(), transfer.path);
    detail.flow({flow, transfer.kind, transfer.from, transfer.to, links, transfer.bytes, t.start_s, t.end_s});
  });
  run.links.emplace(run.wiring.platform());
  run.simulation.flows().add_listener(*run.links);
}

RunFacts simulate(SimgridEngine& engine, Run& run, Scenario& scenario, Recorder& recorder,
                  const RunOptions& options) {
  if (options.detail) listen_to_flows(run, *options.detail);
  run.simulation.flows().set_carrier(run.network);
  run.simulation.connect(run.wiring);
  run.network.add_actor("simulation", [&run] { simulation_actor(run); });
  engine.run();
  run.network.rethrow();
  run.simulation.finish();
  if (options.detail) run.links->report(*options.detail);
  recorder.close();
  return collect_facts(scenario, run.simulation);
}

}  // namespace

RunFacts run(Scenario& scenario, Recorder& recorder, const RunOptions& options) {
  SimgridEngine engine;
  Run run(scenario, recorder, options);
  RunFacts facts = with_place(scenario.spec, run.simulation.clock(),
                              [&] { return simulate(engine, run, scenario, recorder, options); });
  require_all_ended(scenario, recorder, run.simulation);
  return facts;
}

}  // namespace servecast
