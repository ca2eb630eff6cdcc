#include "sim/engine/transfers/roles.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <utility>

namespace servecast {

Roles::Roles(const Placement& placement, std::unique_ptr<RoleMembers> members, std::int64_t size)
    : placement_(placement), members_(std::move(members)), sides_(static_cast<std::size_t>(size), Side::decode) {
  assert(placement.prefill_replicas() < size);
  std::fill_n(sides_.begin(), placement.prefill_replicas(), Side::prefill);
  next_check_s_ = placement.check_every_s();
}

std::int64_t Roles::load(bool prefill, std::size_t i) const {
  const ReplicaView view = members_->view(i);
  return prefill ? view.waiting_tokens : view.running_requests;
}

std::optional<std::size_t> Roles::pick(bool prefill) const {
  std::optional<std::size_t> best;
  for (std::size_t i = 0; i < sides_.size(); ++i) {
    if (sides_[i] != (prefill ? Side::prefill : Side::decode) || !members_->serves(i)) continue;
    if (!best || load(prefill, i) < load(prefill, *best)) best = i;
  }
  return best;
}

void Roles::check(double now_s) {
  next_check_s_ = after(now_s);
  bool draining = false;
  for (std::size_t i = 0; i < sides_.size(); ++i) {
    if (drains(i) && (!members_->serves(i) || members_->empty(i)))
      sides_[i] = sides_[i] == Side::prefill_drains ? Side::decode : Side::prefill;
    draining = draining || drains(i);
  }
  const SideLoad prefill = load_of(Side::prefill);
  const SideLoad decode = load_of(Side::decode);
  if (draining || prefill.replicas == 0 || decode.replicas == 0) return;
  const Turn turn = placement_.turn(prefill, decode);
  if (turn == Turn::none || (turn == Turn::to_decode ? prefill : decode).replicas < 2) return;
  sides_[*pick(turn == Turn::to_decode)] = turn == Turn::to_decode ? Side::prefill_drains : Side::decode_drains;
}

SideLoad Roles::load_of(Side side) const {
  SideLoad load;
  for (std::size_t i = 0; i < sides_.size(); ++i) {
    if (sides_[i] != side || !members_->serves(i)) continue;
    load.replicas += 1;
    const ReplicaView view = members_->view(i);
    load.waiting_tokens += view.waiting_tokens;
    load.used_blocks += view.used_blocks;
    load.total_blocks += view.total_blocks;
  }
  return load;
}

void Roles::cover() {
  cover(Side::prefill, Side::decode);
  cover(Side::decode, Side::prefill);
}

// A replica that drains goes first; then the one with the least to do, unless it is the last of its side.
void Roles::cover(Side side, Side other) {
  if (load_of(side).replicas > 0) return;
  const bool prefill = other == Side::prefill;
  const bool may_turn = load_of(other).replicas > 1;
  std::optional<std::size_t> best;
  for (std::size_t i = 0; i < sides_.size(); ++i) {
    if (!members_->serves(i) || (!drains(i) && !may_turn)) continue;
    if (!best || std::pair(!drains(i), load(prefill, i)) < std::pair(!drains(*best), load(prefill, *best))) best = i;
  }
  if (best) sides_[*best] = side;
}

double Roles::after(double now_s) const {
  double n = std::floor(now_s / placement_.check_every_s()) + 1;
  while (n * placement_.check_every_s() <= now_s) n += 1;
  return n * placement_.check_every_s();
}

}  // namespace servecast
