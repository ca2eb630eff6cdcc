#include "sim/engine/transfers/prefix_copies.h"

#include <algorithm>

#include "sim/engine/links/flows.h"

namespace servecast {

void PrefixCopies::start(PrefixCopy copy, double now_s) {
  const Destination& to = copy.to;
  copy.since_s = now_s;
  if (!routes_) {
    copy.due_s = std::min(now_s + to.copy_s, copy.request.give_up_s);
    return there_.push(std::move(copy));
  }
  const RequestId id = copy.request.id;
  const std::size_t pool = index(copy.request.pool);
  const ReplicaAt from{to.copy_pool.value_or(pool), to.copy_from};
  auto flows = routes_->transfers(from, {pool, to.replica}, id, {.to = static_cast<double>(to.copy_tokens)});
  if (copy.request.give_up_s < Replica::infinity) give_ups_.emplace(copy.request.give_up_s, id);
  by_flows_.emplace(id, std::move(copy));
  flows_.start(std::move(flows), now_s, [this, id](double end_s) { done(id, end_s); });
}

double PrefixCopies::next_s() const {
  const double give_up_s = give_ups_.empty() ? Replica::infinity : give_ups_.begin()->first;
  return there_.empty() ? give_up_s : std::min(give_up_s, there_.top().due_s);
}

// The copy is there, or its client does not wait for it any longer: the flows go on in vain then.
void PrefixCopies::done(RequestId id, double end_s) {
  auto found = by_flows_.extract(id);
  if (found.empty()) return;
  PrefixCopy& copy = found.mapped();
  give_ups_.erase({copy.request.give_up_s, id});
  copy.due_s = end_s;
  there_.push(std::move(copy));
}

std::optional<PrefixCopy> PrefixCopies::take_due(double now_s) {
  while (!give_ups_.empty() && give_ups_.begin()->first <= now_s) done(give_ups_.begin()->second, now_s);
  if (there_.empty() || there_.top().due_s > now_s) return std::nullopt;
  PrefixCopy copy = there_.top();
  there_.pop();
  return copy;
}

void PrefixCopies::cut_short() {
  for (auto& [id, copy] : by_flows_) there_.push(std::move(copy));
  by_flows_.clear();
  give_ups_.clear();
}

}  // namespace servecast
