#include "sim/engine/cluster/pending_queue.h"

#include <algorithm>

namespace servecast {

void PendingQueue::enter(const PendingRequest& waiting) {
  const Place place{waiting.pool, entered_++};
  requests_.emplace(place, waiting);
  if (waiting.request.give_up_s < Request::forever) give_ups_.emplace(waiting.request.give_up_s, place);
}

double PendingQueue::next_give_up_s() const {
  return give_ups_.empty() ? Request::forever : give_ups_.begin()->first;
}

PendingQueue::PendingRequest PendingQueue::take(Place place) {
  PendingRequest waiting = std::move(requests_.extract(place).mapped());
  give_ups_.erase({waiting.request.give_up_s, place});
  return waiting;
}

std::vector<PendingQueue::PendingRequest> PendingQueue::take_given_up(double now_s) {
  std::vector<PendingRequest> gone;
  while (next_give_up_s() <= now_s && !give_ups_.empty()) gone.push_back(take(give_ups_.begin()->second));
  return gone;
}

std::int64_t PendingQueue::count(PoolId pool) const {
  return std::ranges::count_if(requests_, [&](const auto& waiting) { return waiting.first.first == pool; });
}

std::vector<PendingQueue::PendingRequest> PendingQueue::take(PoolId pool) {
  std::vector<PendingRequest> taken;
  for (auto at = requests_.lower_bound({pool, 0}); at != requests_.end() && at->first.first == pool;)
    taken.push_back(take((at++)->first));
  return taken;
}

void PendingQueue::forget_kv_of(RequestId request) {
  const auto found = std::ranges::find_if(
      requests_, [&](const auto& g) { return g.second.has_kv && g.second.request.id == request; });
  if (found != requests_.end()) take(found->first);
}

std::vector<PendingQueue::PendingRequest> PendingQueue::take_all() {
  std::vector<PendingRequest> taken;
  while (!requests_.empty()) taken.push_back(take(requests_.begin()->first));
  return taken;
}

}  // namespace servecast
