#include "sim/engine/run.h"

#include <exception>
#include <simgrid/s4u.hpp>

#include "sim/engine/collect_facts.h"
#include "sim/engine/dispatcher.h"
#include "sim/engine/link_meter.h"
#include "sim/engine/simgrid_engine.h"
#include "sim/engine/weight_loads.h"

namespace servecast {
namespace {

namespace sg = simgrid::s4u;

/// What the actors of one run share.
struct Run {
  Run(Scenario& scenario, Recorder& recorder, const RunOptions& options)
      : wiring(scenario),
        network(wiring.platform().links),
        dispatcher(scenario, recorder, options),
        detail(options.detail) {}

  Wiring wiring;
  Network network;
  Dispatcher dispatcher;
  DetailListener* detail;
  LinkMeter links;
  std::int64_t flows = 0;
  std::int64_t loading = 0;      // replicas whose weights are under way
  std::exception_ptr failure{};  // what the user's input did wrong while it was read
  sg::SemaphorePtr loaded = sg::Semaphore::create(0);
};

void tell_flows(Run& run, const std::vector<FinishedTransfer>& transfers) {
  for (const FinishedTransfer& t : transfers) {
    const Transfer& transfer = *t.transfer;
    if (run.detail)
      run.detail->flow({run.flows, transfer.kind, transfer.from, transfer.to, transfer.bytes, t.start_s, t.end_s});
    run.links.add(t);
    ++run.flows;
  }
}

// While weights load, a replica can become ready at any moment and change what is due next; afterwards only time can.
// True: the time has come. False: something changed, look again.
bool wait_until(Run& run, double at_s) {
  const double delay_s = at_s - sg::Engine::get_clock();
  if (delay_s <= 0) return true;
  if (run.loading == 0) {
    sg::this_actor::sleep_for(delay_s);
    return true;
  }
  if (at_s < Replica::infinity) return run.loaded->acquire_timeout(delay_s);
  run.loaded->acquire();
  return false;
}

// A broken row in a trace that is read as it goes is found here. An exception must not leave an actor, and SimGrid's
// own signal that ends one must: so this one kind is carried out by hand.
void dispatcher_actor(Run& run) try {
  for (;;) {
    const double at_s = run.dispatcher.next_s();
    if (at_s == Replica::infinity && run.loading == 0) return;
    if (wait_until(run, at_s)) run.dispatcher.handle(at_s);
  }
} catch (const UserError&) {
  run.failure = std::current_exception();
}

void weights_loaded(Run& run, std::size_t pool, std::size_t replica, const std::vector<FinishedTransfer>& transfers) {
  tell_flows(run, transfers);
  run.dispatcher.weights_loaded(pool, replica, sg::Engine::get_clock());
  run.loading -= 1;
  run.loaded->release();
}

}  // namespace

RunFacts run(Scenario& scenario, Recorder& recorder, const RunOptions& options) {
  SimgridEngine engine;
  Run run(scenario, recorder, options);
  if (run.detail) run.detail->platform(run.wiring.platform());
  run.loading = add_weight_loads(scenario, run.wiring, run.network,
                                 [&run](std::size_t pool, std::size_t replica, const auto& transfers) {
                                   weights_loaded(run, pool, replica, transfers);
                                 });
  run.network.add_actor("dispatcher", [&run] { dispatcher_actor(run); });
  engine.run();
  if (run.failure) std::rethrow_exception(run.failure);
  run.dispatcher.drain();
  if (run.detail) run.links.tell(run.wiring.platform(), *run.detail);
  recorder.close();
  return collect_facts(scenario, run.dispatcher);
}

}  // namespace servecast
