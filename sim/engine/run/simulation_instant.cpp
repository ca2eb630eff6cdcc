// One instant: which part is due when, and in which order the parts act.
#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <optional>
#include <stdexcept>

#include "sim/engine/run/liveness.h"
#include "sim/engine/run/simulation.h"
#include "sim/input/scenario/scenario.h"

namespace servecast {
namespace {

using S = Simulation;
constexpr double never = Replica::infinity;
constexpr bool rides_along = true;

/// A part that the scenario may do without is never due, and does nothing.
template <class Part>
Part* there(Part& part) {
  return &part;
}
template <class Part>
Part* there(std::optional<Part>& part) {
  return part ? &*part : nullptr;
}

// What stands in a row of the table: a part and its function, or a function of the simulation's own.
template <auto part, auto next_s>
double due(S& run) {
  auto* p = there(run.*part);
  return p ? (p->*next_s)() : never;
}
template <auto part, auto act>
void acts(S& run, double now_s) {
  if (auto* p = there(run.*part)) (p->*act)(now_s);
}
template <double (S::*next_s)()>
double due(S& run) {
  return (run.*next_s)();
}
template <void (S::*act)(double)>
void acts(S& run, double now_s) {
  (run.*act)(now_s);
}

}  // namespace

// Steps end before anything arrives, and start when all that arrives has arrived: an arrival on a step's boundary
// joins the step that starts there. Parts break when what was on its way has come, autoscalers see what broke, and
// load is collected before requests are routed by it. Flows begin last.
const S::Moment S::moments_[] = {
    {"steps", due<&S::cluster_, &Cluster::next_step_s>, acts<&S::end_steps>},
    {"flows", due<&S::flows_, &Flows::next_s>, acts<&S::end_flows>},
    {"hand-overs", due<&S::hand_overs_, &HandOvers::next_s>, acts<&S::hand_overs_, &HandOvers::send_due>},
    {"evaluates roles", due<&S::hand_overs_, &HandOvers::next_check_s>,
     acts<&S::hand_overs_, &HandOvers::check_roles>, rides_along},
    {"evaluates migrations", due<&S::next_migration_s>, acts<&S::migrations_, &Migrations::act_due>},
    {"failures", due<&S::next_failure_s>, acts<&S::break_parts>},
    {"requests that failures interrupted", nullptr, acts<&S::flow_, &RequestFlow::go_on_elsewhere>},
    {"clients that give up in the pending queue", due<&S::flow_, &RequestFlow::next_give_up_s>,
     acts<&S::flow_, &RequestFlow::give_up_pending>},
    {"replicas that start and drain", due<&S::next_start_s>, acts<&S::start_and_drain>},
    {"load that is collected", nullptr, acts<&S::collect_load>},  // see next_s()
    {"copies of prefixes", due<&S::copies_, &PrefixCopies::next_s>, acts<&S::flow_, &RequestFlow::deliver_copied>},
    {"gateway", due<&S::gateway_, &Gateway::next_s>, acts<&S::flow_, &RequestFlow::ask_gateway>},
    {"arrivals", due<&S::arrivals_, &Arrivals::next_s>, acts<&S::flow_, &RequestFlow::take_arrivals>},
    {"samples of replicas", due<&S::next_sample_s>, acts<&S::sample_replicas>, rides_along},
    {"steps that start", nullptr, acts<&S::cluster_, &Cluster::start_steps>},
    {"writes that begin", nullptr, acts<&S::transfers_, &ReplicaTransfers::begin_writes>},
    {"flows that begin", nullptr, acts<&S::flows_, &Flows::begin_due>},
};

void Simulation::handle(double now_s) {
  assert(now_s >= clock_.now_s());
  watch_turn(now_s);
  clock_.set_now(now_s);
  for (const Moment& moment : moments_) {
    moment.act(*this, now_s);
    ends_.ask_next();
  }
}

/// When a part is due by itself.
double Simulation::next_due_s() {
  arrivals_.read_ahead();
  double at_s = never;
  for (const Moment& moment : moments_)
    if (moment.next_s && !moment.rides) at_s = std::min(at_s, moment.next_s(*this));
  if (at_s == never) return at_s;
  if (load_is_collected_)  // at an instant before that
    for (const ReplicaPool& pool : cluster_.pools()) at_s = std::min(at_s, pool.routing().next_signal_s(at_s));
  return at_s > clock_.until_s() ? never : at_s;
}

double Simulation::next_riding_s() {
  double at_s = never;
  for (const Moment& moment : moments_)
    if (moment.next_s && moment.rides) at_s = std::min(at_s, moment.next_s(*this));
  return at_s;
}

// The run comes to an instant of a moment that rides only if something is due then or later. Whether it is, replicas
// know that are as far as that; while a flow is under way, they may be so only when the run has come there.
double Simulation::next_s() {
  double at_s = next_due_s();
  const double rides_s = next_riding_s();
  only_rides_ = at_s > rides_s && !flows_.idle();
  if (at_s == never || at_s <= rides_s) return at_s;
  if (only_rides_) return rides_s;
  cluster_.advance_all(std::nextafter(rides_s, 0));
  ends_.ask_next();
  at_s = next_due_s();
  return at_s == never ? never : std::min(at_s, next_riding_s());
}

void Simulation::end_steps(double now_s) {
  if (failures_ && failures_->next_s() <= now_s) cluster_.advance_all(now_s);
  cluster_.end_steps(now_s);
}

// Steps may end with what they send.
void Simulation::end_flows(double now_s) {
  if (flows_.report_ended(now_s) && steps_become_flows_) cluster_.settle(now_s);
}

// Replicas whose steps wait for ever, behind a cable that is not mended any more, are left alone.
double Simulation::next_migration_s() {
  return migrations_ && flow_.any_left() ? migrations_->next_check_s() : never;
}

double Simulation::next_failure_s() { return failures_ && flow_.any_left() ? failures_->next_s() : never; }

// Nothing breaks after the last request: how many failures there were must not depend on when the run looked.
void Simulation::break_parts(double now_s) {
  if (!failures_ || failures_->next_s() > now_s) return;
  cluster_.advance_all(now_s);  // weights may have come at this very instant
  if (!flow_.any_left()) return;
  failures_->act_due(now_s);
  cluster_.lifecycle().settle(now_s);
  clock_.count_event();
  end_if_in_vain(now_s);
}

// Replicas that break sooner than they start serve no request, and neither more requests nor clients that give up end
// the run: it ends here, and reports what is unfinished.
void Simulation::end_if_in_vain(double now_s) {
  if (!watchdog_.breaks_in_vain(clock_.progress()) || clock_.has_end()) return;
  if (arrivals_.next_anywhere_s() < never || flow_.next_give_up_s() < never) return;
  standstill_ = fmt::format(
      "the run ends at {:.0f} s: parts broke at {} instants while no request and no step got on, so replicas break "
      "sooner than they start; {} requests are unfinished ({}). With a longer failures.rates.mtbf_s they start",
      now_s, Watchdog::most_idle_breaks, ends_.in_pools(), where_requests_are(scenario_, cluster_, pending()));
  clock_.end_now();
}

double Simulation::next_start_s() {
  const ReplicaLifecycle& lives = cluster_.lifecycle();
  const double start_s = std::min(lives.next_s(), scaling_ ? scaling_->next_s() : never);
  return std::min(lives.next_drained_s(), start_s < never && flow_.any_left() ? start_s : never);
}

// As with failures, nothing starts after the last request; but a step of a replica that drains may outlast that.
void Simulation::start_and_drain(double now_s) {
  ReplicaLifecycle& lives = cluster_.lifecycle();
  const bool retired = lives.retire_drained(now_s);
  const bool looks = scaling_ && scaling_->next_s() <= now_s;
  if (!retired && !looks && lives.next_s() > now_s) return;
  cluster_.advance_all(now_s);
  if (!flow_.any_left()) return;
  lives.act_due(now_s);
  if (scaling_) scaling_->evaluate_due(now_s);
  if (failures_) failures_->look_for_parts(now_s);  // more may be wanted now
  lives.settle(now_s);
}

void Simulation::collect_load(double now_s) {
  if (!load_is_collected_) return;
  for (ReplicaPool& pool : cluster_.pools()) {
    if (pool.routing().next_signal_s(now_s) > now_s) continue;
    pool.advance_seen(now_s);
    pool.routing().signal(now_s);
  }
}

double Simulation::next_sample_s() { return listener_.sampler() ? listener_.sampler()->next_s() : never; }

// The run may be here for a look at replicas that turned out to be idle: then nothing has happened at this instant.
void Simulation::sample_replicas(double now_s) {
  if (next_sample_s() > now_s) return;
  if (only_rides_) cluster_.advance_all(std::nextafter(now_s, 0));
  const bool happened = !only_rides_ && clock_.duration_s() >= now_s;
  if (happened || next_due_s() < never) listener_.sampler()->sample(cluster_);
}

// While parts break, and replicas come and go, nothing that is on its way is waited for: all that may go on for ever
// without serving any request.
void Simulation::watch_turn(double now_s) {
  clock_.poll();
  if (!watchdog_.stands_still(now_s, clock_.progress())) return;
  const bool replaces = cluster_.take_membership_changes() > 0;
  const bool breaks = failures_ && failures_->next_s() <= now_s;
  const bool has_end = clock_.has_end() || arrivals_.next_anywhere_s() < never;
  watchdog_.count(has_end || (!replaces && !breaks && something_comes()));
  if (!watchdog_.lists()) return;
  for (const Moment& moment : moments_)
    if (moment.next_s && moment.next_s(*this) <= now_s) watchdog_.acts(moment.name);
  if (watchdog_.ends())
    throw std::runtime_error(fmt::format("{}; {} requests are left: {}", watchdog_.report(), ends_.in_pools(),
                                         where_requests_are(scenario_, cluster_, pending())));
}

/// What may help requests that wait, and ends by itself.
bool Simulation::something_comes() const {
  return copies_.any_due() || !flows_.idle() || (hand_overs_ && hand_overs_->next_s() < never) ||
         std::ranges::any_of(cluster_.pools(), &ReplicaPool::busy) || flow_.next_give_up_s() < never ||
         (failures_ && failures_->repairs()) || cluster_.lifecycle().next_s() < never;
}

}  // namespace servecast
