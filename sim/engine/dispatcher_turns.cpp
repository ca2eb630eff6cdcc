// Turns of the run's loop: when the next one is due and who wants it, and whether they lead anywhere.
#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "sim/engine/dispatcher.h"
#include "sim/input/scenario.h"

namespace servecast {

constexpr std::int64_t turns_per_poll = 64;  // asking may be a call of the operating system

/// Whoever is due outside the replicas, and when: `tell` hears it of each. The first of these instants.
template <class Tell>
double Dispatcher::next_of_all(Tell tell) {
  double at_s = Replica::infinity;
  const auto due = [&](const char* who, double due_s) {
    tell(who, due_s);
    at_s = std::min(at_s, due_s);
  };
  due(gateway_ ? "arrivals and gateway" : "arrivals", next_arrival_s());
  due("copies of prefixes", next_copy_due_s());
  if (!awaited_.empty()) due("replicas with awaited requests", awaited_.top().time_s);
  due("flows", flows_.next_s());
  if (hand_overs_) due("hand-overs", hand_overs_->next_s());
  if (hand_overs_ && at_s < Replica::infinity) due("looks at roles", hand_overs_->next_check_s());
  if (migrations_) due("looks for migrations", next_migration_check_s());
  if (options_.step_by_step)
    for (const ReplicaPool& pool : pools_) due("steps", pool.next_due_s());
  due("clients that give up outside", waiting_room_.next_give_up_s());
  if (scaling_) due("replicas that drain", scaling_->next_drained_s());
  if ((failures_ || scaling_) && requests_left()) {
    if (failures_) due("failures", failures_->next_s());
    if (scaling_) due("autoscalers", scaling_->next_s());
  }
  return at_s;
}

double Dispatcher::next_s() {
  while (!awaited_.empty() && generations_[awaited_.top().pool][awaited_.top().replica] != awaited_.top().generation)
    awaited_.pop();
  read_ahead();
  double at_s = next_of_all([](const char*, double) {});
  if (signals_ && at_s < Replica::infinity) at_s = next_signal_s(at_s);
  if (at_s > until_s_) return Replica::infinity;
  return samples() && at_s < Replica::infinity ? std::min(at_s, sampler_.next_s()) : at_s;
}

/// `at_s`, or an instant before it at which load is collected.
double Dispatcher::next_signal_s(double at_s) const {
  for (const ReplicaPool& pool : pools_) at_s = std::min(at_s, pool.next_signal_s(at_s));
  return at_s;
}

// While parts break, and replicas come and go, nothing that is on its way is waited for: all that may go on for ever
// without serving anybody.
void Dispatcher::watch_turn(double now_s) {
  poll();
  if (!watchdog_.stands_still(now_s, progress_)) return;
  const bool replaces = std::exchange(comings_seen_, comings_) != comings_;
  const bool breaks = failures_ && failures_->next_s() <= now_s;
  const bool has_end = until_s_ < Replica::infinity || next_arrival_s() < Replica::infinity;
  watchdog_.count(has_end || (!replaces && !breaks && something_comes()));
  if (!watchdog_.lists()) return;
  next_of_all([&](const char* who, double due_s) {
    if (due_s <= now_s) watchdog_.acts(who);
  });
  if (watchdog_.ends()) throw std::runtime_error(watchdog_.told() + "; " + requests_left_by_pool());
}

/// What may help requests that wait, and ends by itself.
bool Dispatcher::something_comes() const {
  return !copying_.empty() || !flows_.idle() || (hand_overs_ && hand_overs_->next_s() < Replica::infinity) ||
         std::ranges::any_of(pools_, &ReplicaPool::busy) || waiting_room_.next_give_up_s() < Replica::infinity ||
         (failures_ && failures_->repairs()) || (scaling_ && scaling_->starts());
}

std::string Dispatcher::requests_left_by_pool() const {
  std::string text = fmt::format("{} requests are left", in_pools_);
  for (std::size_t pool = 0; pool < pools_.size(); ++pool) {
    std::int64_t count = waiting_room_.count(PoolId(pool));
    for (std::size_t i = 0; i < pools_[pool].size(); ++i) {
      const ReplicaView view = pools_[pool][i].view();
      count += view.waiting_requests + view.running_requests;
    }
    if (count > 0) text += fmt::format(", {} of them in pool '{}'", count, scenario_.pools[pool].spec.name);
  }
  return text;
}

void Dispatcher::poll() {
  if (options_.stop && ++polls_ % turns_per_poll == 0 && options_.stop()) throw CutShort{};
}

}  // namespace servecast
