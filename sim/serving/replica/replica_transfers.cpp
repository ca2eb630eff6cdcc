// What a replica has under way over links that others use as well.
#include <cassert>
#include <variant>

#include "sim/serving/replica/replica.h"

namespace servecast {

void Replica::connect(TransferPort& port) {
  links_->connect(port);
  if (setup_.tiers) setup_.tiers->connect(port);
}

void Replica::replaces(const Replica& before) {
  links_->replace(*before.links_);
  if (setup_.tiers && links_->port()) setup_.tiers->connect(*links_->port());
}

bool Replica::arrived(Token token, double now_s, ReplicaListener& listener) {
  now_s_ = std::max(now_s_, now_s);
  return std::visit([&](const auto& purpose) { return end(purpose, listener); }, links_->take(token));
}

bool Replica::end(const ExpertLoad& load, ReplicaListener& listener) {
  stages_.arrived(load, now_s_);
  take_ends(listener);
  return false;
}

bool Replica::end(const Sent& sent, ReplicaListener& listener) {
  stages_.sent(sent, now_s_);
  take_ends(listener);
  return false;
}

// Steps under way, too, are worked out in closed form only until others come.
void Replica::set_contended(OwnTraffic traffic, bool contended, double now_s, ReplicaListener& listener) {
  assert(now_s >= now_s_ || !ready_);
  if (!links_->set_contended(traffic, contended)) return;
  now_s_ = std::max(now_s_, now_s);
  stages_.contended(traffic, now_s_);
  take_ends(listener);
}

}  // namespace servecast
