#pragma once
#include <cstdint>
#include <vector>

#include "models/policy/placement.h"
#include "models/policy/router.h"

namespace servecast {

/// Who computes prompts and who decodes in a pool whose replicas change sides; rules: Placement::turn. The replicas
/// shown must have been brought up to the instant.
class Roles {
 public:
  Roles(const Placement& placement, std::int64_t replicas);

  /// The prefilling replica with the fewest prompt tokens to compute, and the decoding one with the fewest sequences;
  /// ties go to the lowest.
  template <class ViewOf>
  std::size_t pick(bool prefill, ViewOf view) const {
    std::size_t best = sides_.size();
    for (std::size_t i = 0; i < sides_.size(); ++i) {
      if (sides_[i] != (prefill ? Side::prefill : Side::decode)) continue;
      if (best == sides_.size() || load(prefill, view(i)) < load(prefill, view(best))) best = i;
    }
    return best;
  }

  /// When the load is looked at next: on whole multiples of Placement::check_every_s().
  double next_check_s() const { return next_check_s_; }
  /// Who has drained changes sides; perhaps somebody else begins to drain.
  template <class ViewOf, class IsEmpty>
  void check(double now_s, ViewOf view, IsEmpty is_empty) {
    next_check_s_ = after(now_s);
    SideLoad prefill;
    SideLoad decode;
    bool draining = false;
    for (std::size_t i = 0; i < sides_.size(); ++i) {
      if (drains(i) && is_empty(i)) sides_[i] = sides_[i] == Side::prefill_drains ? Side::decode : Side::prefill;
      draining = draining || drains(i);
      if (sides_[i] == Side::prefill) add(prefill, view(i));
      if (sides_[i] == Side::decode) add(decode, view(i));
    }
    if (draining) return;
    const Turn turn = placement_.turn(prefill, decode);
    if (turn == Turn::none) return;
    const std::size_t who = pick(turn == Turn::to_decode, view);
    sides_[who] = turn == Turn::to_decode ? Side::prefill_drains : Side::decode_drains;
  }

 private:
  enum class Side : std::uint8_t { prefill, decode, prefill_drains, decode_drains };
  bool drains(std::size_t i) const { return sides_[i] == Side::prefill_drains || sides_[i] == Side::decode_drains; }
  static std::int64_t load(bool prefill, const ReplicaView& view) {
    return prefill ? view.waiting_tokens : view.running_requests;
  }
  static void add(SideLoad& side, const ReplicaView& view);
  double after(double now_s) const;

  const Placement& placement_;
  std::vector<Side> sides_;
  double next_check_s_ = 0;
};

}  // namespace servecast
