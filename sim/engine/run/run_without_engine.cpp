#include "sim/engine/run/collect_facts.h"
#include "sim/engine/run/liveness.h"
#include "sim/engine/run/simulation.h"
#include "sim/engine/time/fault.h"
#include "sim/input/scenario/scenario.h"
#include "sim/report/record/recorder.h"
#include "sim/report/record/run_facts.h"

namespace servecast {

RunFacts run_without_engine(Scenario& scenario, Recorder& recorder, const RunOptions& options) {
  Simulation simulation(scenario, recorder, options);
  RunFacts facts = with_place(scenario.spec, simulation.clock(), [&] {
    for (double at_s = simulation.next_s(); at_s < Replica::infinity; at_s = simulation.next_s())
      simulation.handle(at_s);
    simulation.finish();
    recorder.close();
    return collect_facts(scenario, simulation);
  });
  require_all_ended(scenario, recorder, simulation);
  return facts;
}

}  // namespace servecast
