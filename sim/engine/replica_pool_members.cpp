// Replicas of a pool that come and go.
#include <algorithm>

#include "sim/engine/replica_pool.h"

namespace servecast {

void ReplicaPool::set_serving(std::size_t i, bool serving) {
  if (shown(i) == serving) return;
  const auto at = std::ranges::lower_bound(shown_, i);
  const auto view = views_.begin() + (at - shown_.begin());
  if (serving) {
    views_.insert(view, replicas_[i].view());
    shown_.insert(at, static_cast<std::uint32_t>(i));
  } else {
    views_.erase(view);
    shown_.erase(at);
    place_of_[i] = nowhere;
  }
  for (std::size_t place = 0; place < shown_.size(); ++place)
    place_of_[shown_[place]] = static_cast<std::uint32_t>(place);
  changed_.clear();
  ++comings_;
}

std::vector<MovingSequence> ReplicaPool::fail(std::size_t i, double now_s, ReplicaListener& listener) {
  replicas_[i].advance(now_s, listener);
  std::vector<MovingSequence> hit = replicas_[i].fail(now_s, listener);
  former_.push_back(std::move(replicas_[i]));
  replicas_[i] = make_replica(i);
  replicas_[i].set_not_ready();
  replicas_[i].replaces(former_.back());
  set_serving(i, false);
  refresh(i);
  return hit;
}

void ReplicaPool::lose_memory(std::size_t i, double now_s) {
  if (shared_tier_) shared_tier_->forget(replicas_[i].id(), now_s);
}

void ReplicaPool::resume(const MovingSequence& sequence, std::size_t i, double now_s, ReplicaListener& listener) {
  replicas_[i].advance(now_s, listener);
  replicas_[i].resume(sequence, now_s);
  refresh(i);
}

void ReplicaPool::set_pace(std::size_t i, const StepPace& pace, double now_s, ReplicaListener& listener) {
  replicas_[i].advance(now_s, listener);
  replicas_[i].set_pace(pace);
  refresh(i);
}

}  // namespace servecast
