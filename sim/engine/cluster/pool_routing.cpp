#include "sim/engine/cluster/pool_routing.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "sim/input/scenario/scenario.h"

namespace servecast {
namespace {

template <class Policy>
bool reads_kv(const Policy& policy) {
  return policy.reads_state() && policy.reads_kv();
}

PoolPace pace_of(const Scenario& scenario, const Pool& pool) {
  const NodeGroup& group = scenario.group_of(pool);
  return {pool, KvCopy(pool, group.node, group.fabric)};
}

}  // namespace

PoolRouting::PoolRouting(const Scenario& scenario, PoolId id, ReplicaId first, const std::vector<Replica>& replicas)
    : router_(scenario.pools[index(id)].spec.router.make()),
      admission_(scenario.pools[index(id)].spec.admission.make()),
      needs_fresh_views_(router_->reads_state() || admission_->reads_state()),
      reads_kv_(servecast::reads_kv(*router_) || servecast::reads_kv(*admission_)),
      signal_delay_s_(scenario.pools[index(id)].spec.signal_delay_s),
      pace_(pace_of(scenario, scenario.pools[index(id)])),
      rng_(static_cast<std::uint64_t>(scenario.spec.seed), "router/" + scenario.pools[index(id)].spec.name),
      first_(index(first)),
      replicas_(replicas) {
  for (const Replica& replica : replicas) {
    place_of_.push_back(static_cast<std::uint32_t>(shown_.size()));
    shown_.push_back(place_of_.back());
    views_.push_back(replica.view());
  }
}

bool PoolRouting::admits(const Request& request, const PoolRouting* decoding) {
  if (!decoding || !decoding->shows_any()) return admission_->admits(request, views(answers()));
  const PoolAnswers decode_answers = decoding->answers();
  const ReplicaViews decode_views = decoding->views(decode_answers);
  return admission_->admits(request, views(answers(), &decode_views));
}

bool PoolRouting::admits_decode(const Request& request, const PoolRouting& decoding) {
  return !decoding.shows_any() || admission_->admits_decode(request, decoding.views(decoding.answers()));
}

std::optional<Destination> PoolRouting::pick(const Request& request) {
  const std::optional<Route> route = router_->pick(request, views(answers()), rng_);
  changed_.clear();
  if (!route) return std::nullopt;
  Destination to{.replica = index(route->replica) - first_, .copy_tokens = route->copy_tokens};
  assert(to.replica < replicas_.size() && shown(to.replica) && "a router picks one of the replicas it was shown");
  if (to.copy_tokens == 0) return to;
  to.copy_from = index(route->copy_from) - first_;
  to.copy_s = pace_.copy.seconds(to.copy_from, to.replica, to.copy_tokens);
  return to;
}

double PoolRouting::next_signal_s(double at_s) const {
  if (!signals()) return Replica::infinity;
  double last = std::floor(at_s / signal_delay_s_);
  if (last * signal_delay_s_ > at_s) last -= 1;  // the quotient was rounded up, or below: down
  if ((last + 1) * signal_delay_s_ <= at_s) last += 1;
  const double last_s = last * signal_delay_s_;
  return last_s > signalled_s_ ? last_s : Replica::infinity;
}

void PoolRouting::signal(double now_s) {
  signalled_s_ = now_s;
  for (std::size_t place = 0; place < shown_.size(); ++place) {
    views_[place] = replicas_[shown_[place]].view();
    changed_.push_back(static_cast<std::uint32_t>(place));
  }
}

void PoolRouting::refresh(std::size_t i) {
  if (!needs_fresh_views_ || signals() || !shown(i)) return;
  views_[place_of_[i]] = replicas_[i].view();
  changed_.push_back(place_of_[i]);
}

void PoolRouting::set_shown(std::size_t i, bool show) {
  if (shown(i) == show) return;
  const auto at = std::ranges::lower_bound(shown_, i);
  const auto view = views_.begin() + (at - shown_.begin());
  if (show) {
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
  ++membership_version_;
}

}  // namespace servecast
