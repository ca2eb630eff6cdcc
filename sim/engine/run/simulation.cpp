#include "sim/engine/run/simulation.h"

#include <algorithm>
#include <cmath>

#include "sim/engine/facts/scenario_facts.h"
#include "sim/engine/time/run_options.h"
#include "sim/input/scenario/scenario.h"
#include "sim/report/record/recorder.h"
#include "sim/report/record/run_facts.h"

namespace servecast {

Simulation::Simulation(Scenario& scenario, Recorder& recorder, const RunOptions& options)
    : scenario_(scenario),
      recorder_(recorder),
      options_(options),
      clock_(scenario, options),
      arrivals_(scenario, parts_),
      ends_(scenario, recorder, clock_, arrivals_, parts_),
      listener_(recorder, clock_, ends_, parts_, options.detail),
      cluster_(scenario, listener_, clock_, options.step_by_step),
      copies_(flows_),
      flow_(scenario, recorder, clock_, cluster_, arrivals_, ends_, copies_, parts_) {
  recorder.set_slo(slo_facts(scenario));
  set_readers(scenario, recorder);
  if (scenario.spec.failures) recorder.watch_slo();
  for (const ReplicaPool& pool : cluster_.pools()) load_is_collected_ |= pool.routing().signals();
  if (scenario.spec.gateway.empty()) return;
  parts_.gateway = &gateway_.emplace(scenario, ends_, options.detail);
  recorder.set_gateway(gateway_->facts(0).targets.size());
}

// Listeners in the order in which they hear that a replica has stopped: the flow of requests last, when all that were
// on their way from or to it are known.
void Simulation::connect(const Wiring& wiring) {
  flows_.add_listener(tally_);
  egress_.connect(scenario_.groups, wiring);
  flows_.add_listener(egress_);
  cluster_.add_listener(transfers_.emplace(scenario_, wiring, flows_, cluster_, clock_));
  for (ReplicaPool& pool : cluster_.pools()) pool.connect(*transfers_);
  for (const Pool& pool : scenario_.pools)
    for (const Reach reach : all_reaches) steps_become_flows_ |= pool.sends(reach);
  copies_.connect(scenario_, wiring);
  cluster_.add_listener(copies_);
  if (hands_over(scenario_)) {
    parts_.hand_overs = &hand_overs_.emplace(scenario_, wiring, flows_, recorder_, cluster_, flow_.callbacks());
    cluster_.add_listener(*hand_overs_);
  }
  if (migrates(scenario_)) cluster_.add_listener(migrations_.emplace(scenario_, wiring, flows_, recorder_, cluster_));
  if (scenario_.spec.failures) {
    parts_.failures = &failures_.emplace(scenario_, wiring, flows_, cluster_);
    cluster_.add_listener(*failures_);
  }
  cluster_.add_listener(flow_);
  if (scales(scenario_)) parts_.scaling = &scaling_.emplace(scenario_, cluster_, flow_.pending());
  cluster_.lifecycle().begin(weight_loads_.emplace(scenario_, wiring, flows_));
  transfers_->mark_contended();
}

void Simulation::finish() {
  const double until_s = clock_.until_s();
  // Every full second of the run is sampled, however far replicas have been advanced before; an answer may reach its
  // client after the last step.
  const auto lasts_to = [&](double at_s) {
    cluster_.advance_all(std::nextafter(at_s, 0));
    return clock_.duration_s() >= at_s || std::ranges::any_of(cluster_.pools(), &ReplicaPool::busy);
  };
  ReplicaSampler* sampler = listener_.sampler();
  while (sampler && sampler->next_s() <= until_s && lasts_to(sampler->next_s())) sampler->sample(cluster_);
  if (gateway_) gateway_->close();
  for (ReplicaPool& pool : cluster_.pools()) {
    pool.advance_all(until_s);
    clock_.lasts_to_the_end();
    if (clock_.has_end()) clock_.set_now(until_s);  // what is unfinished ends here, however far the run had come
    pool.abandon(clock_.duration_s());
  }
  ends_.ask_next();
  flow_.abandon(until_s);
  if (gateway_) gateway_->abandon(clock_.duration_s());
  cluster_.lifecycle().close(clock_.duration_s(), recorder_);
  if (sampler) sampler->report(clock_.duration_s(), *options_.detail);
}

}  // namespace servecast
