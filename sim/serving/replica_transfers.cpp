// What a replica has under way over links that others use as well.
#include <algorithm>
#include <cassert>

#include "sim/serving/replica.h"

namespace servecast {

void Replica::connect(TransferPort& port) {
  port_ = &port;
  if (setup_.tiers) setup_.tiers->connect(port);
}

void Replica::replaces(const Replica& before) {
  contended_ = before.contended_;
  if (before.port_) connect(*before.port_);
}

void Replica::start_transfer(const ReplicaTransfer& transfer, double at_s, const Purpose& purpose) {
  under_way_.emplace(port_->start(setup_.id, transfer, at_s), purpose);
}

bool Replica::arrived(Token token, double now_s, ReplicaListener& listener) {
  now_s_ = std::max(now_s_, now_s);
  const auto done = under_way_.extract(token);
  assert(!done.empty() && "it has started every transfer that it hears of");
  return std::visit([&](const auto& purpose) { return end(purpose, listener); }, done.mapped());
}

// The step under way, too, is worked out in closed form only until others come.
void Replica::set_contended(OwnTraffic traffic, bool contended, double now_s, ReplicaListener& listener) {
  assert(now_s >= now_s_ || !ready_);
  bool& before = contended_[static_cast<std::size_t>(traffic)];
  const bool begins = contended && !before;
  before = contended;
  if (!begins) return;
  now_s_ = std::max(now_s_, now_s);
  if (traffic == OwnTraffic::experts) return share_expert_links(listener);
  for (Lane& lane : lanes_)
    if (lane.busy()) settle_run(lane, lane.batches.last(), listener);
}

}  // namespace servecast
