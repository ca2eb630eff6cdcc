// Whether turns of the run's loop lead anywhere.
#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "sim/engine/dispatcher.h"
#include "sim/input/scenario.h"

namespace servecast {

constexpr std::int64_t turns_per_poll = 64;  // asking may be a call of the operating system

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
  for (const Part& part : parts_)
    if (part.next_s && (this->*part.next_s)() <= now_s) watchdog_.acts(part.name);
  if (watchdog_.ends()) throw std::runtime_error(watchdog_.told() + "; " + requests_left_by_pool());
}

/// What may help requests that wait, and ends by itself.
bool Dispatcher::something_comes() const {
  return !copying_.empty() || !flows_.idle() || (hand_overs_ && hand_overs_->next_s() < Replica::infinity) ||
         std::ranges::any_of(pools_, &ReplicaPool::busy) || waiting_room_.next_give_up_s() < Replica::infinity ||
         (failures_ && failures_->repairs()) || lifecycle_.next_s() < Replica::infinity;
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
