#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "models/policy/placement.h"
#include "models/policy/router.h"

namespace servecast {

/// The replicas of one pool as they are now.
class RoleMembers {
 public:
  virtual ~RoleMembers() = default;
  virtual bool serves(std::size_t replica) const = 0;
  virtual bool empty(std::size_t replica) const = 0;
  virtual ReplicaView view(std::size_t replica) const = 0;
};

/// Which replicas compute prompts and which decode in a pool whose replicas change sides; rules: Placement::turn.
/// Only replicas that serve are picked, counted and turned. All must have been brought up to the instant.
class Roles {
 public:
  /// The placement outlives it.
  Roles(const Placement& placement, std::unique_ptr<RoleMembers> members, std::int64_t size);

  /// The prefilling replica with the fewest prompt tokens to compute, or the decoding one with the fewest sequences;
  /// ties go to the lowest. None: no replica of that side serves.
  std::optional<std::size_t> pick(bool prefill) const;
  /// When the load is looked at next: on whole multiples of Placement::check_every_s().
  double next_check_s() const { return next_check_s_; }
  /// A drained replica changes sides; perhaps another begins to drain.
  void check(double now_s);
  /// Replicas come and go: a side without a serving replica gets one of the other side's, if two serve.
  void cover();

 private:
  enum class Side : std::uint8_t { prefill, decode, prefill_drains, decode_drains };
  bool drains(std::size_t i) const { return sides_[i] == Side::prefill_drains || sides_[i] == Side::decode_drains; }
  std::int64_t load(bool prefill, std::size_t i) const;
  SideLoad load_of(Side side) const;
  void cover(Side side, Side other);
  double after(double now_s) const;

  const Placement& placement_;
  std::unique_ptr<RoleMembers> members_;
  std::vector<Side> sides_;
  double next_check_s_ = 0;
};

}  // namespace servecast
