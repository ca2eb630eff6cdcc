#include "sim/engine/collect_facts.h"
#include "sim/engine/dispatcher.h"
#include "sim/engine/fault.h"
#include "sim/engine/liveness.h"
#include "sim/input/scenario.h"
#include "sim/report/recorder.h"
#include "sim/report/run_facts.h"

namespace servecast {

RunFacts run_without_engine(Scenario& scenario, Recorder& recorder, const RunOptions& options) {
  Dispatcher dispatcher(scenario, recorder, options);
  RunFacts facts = with_place(scenario.spec, dispatcher, [&] {
    for (double at_s = dispatcher.next_s(); at_s < Replica::infinity; at_s = dispatcher.next_s())
      dispatcher.handle(at_s);
    dispatcher.drain();
    recorder.close();
    return collect_facts(scenario, dispatcher);
  });
  require_all_ended(scenario, recorder, dispatcher);
  return facts;
}

}  // namespace servecast
