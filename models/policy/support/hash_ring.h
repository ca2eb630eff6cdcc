#pragma once
#include <algorithm>
#include <cassert>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "models/base/ids.h"

namespace servecast {

/// Scrambles 64 bits so that neighbours end far apart (the finaliser of SplitMix64, Steele et al. 2014).
constexpr std::uint64_t scramble(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

/// Consistent hashing (Karger et al. 1997): replicas stand at many points of a ring each, and a key belongs to the
/// first point at or after its own. A replica that comes or goes moves only the keys that it gets or had.
class HashRing {
 public:
  /// What production-stack's hash ring uses.
  static constexpr std::int64_t usual_points = 160;

  explicit HashRing(std::int64_t points_per_replica = usual_points) : points_per_replica_(points_per_replica) {}

  /// Starts over with these replicas, of which there is at least one.
  void assign(std::span<const ReplicaId> replicas) {
    points_.clear();
    replicas_ = replicas.size();
    for (const ReplicaId id : replicas)
      for (std::int64_t i = 0; i < points_per_replica_; ++i) points_.emplace_back(point(id, i), id);
    std::ranges::sort(points_);
  }
  std::size_t size() const { return replicas_; }

  ReplicaId owner(std::uint64_t key) const {
    assert(!points_.empty());
    const auto at = std::ranges::lower_bound(points_, scramble(key), {}, &Point::first);
    return (at == points_.end() ? points_.front() : *at).second;
  }

  /// Where a replica's points stand.
  static std::uint64_t point(ReplicaId id, std::int64_t i) {
    return scramble(scramble(index(id)) + static_cast<std::uint64_t>(i));
  }

 private:
  using Point = std::pair<std::uint64_t, ReplicaId>;
  std::int64_t points_per_replica_;
  std::size_t replicas_ = 0;
  std::vector<Point> points_;
};

}  // namespace servecast
