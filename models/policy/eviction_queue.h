#pragma once
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "models/base/ids.h"
#include "models/policy/eviction.h"

namespace servecast {

/// The entries of a cache that may leave now, in the order in which they would: a binary heap that knows where each
/// entry stands. Offering and withdrawing are O(log n); offering what leaves last of all, as lru and fifo do, is
/// O(1).
class EvictionQueue {
 public:
  EvictionQueue() = default;
  /// With room for entries numbered below `entries`; more may come.
  explicit EvictionQueue(std::size_t entries) : places_(entries, absent) {}

  bool empty() const { return heap_.empty(); }
  bool contains(CacheEntry entry) const { return index(entry) < places_.size() && places_[index(entry)] != absent; }
  /// Who leaves first, and its rank; requires that somebody may.
  CacheEntry first() const { return heap_.front().entry; }
  std::uint64_t first_rank() const { return heap_.front().rank; }

  /// `entry` may leave from now on; it could not before.
  void offer(CacheEntry entry, std::uint64_t rank);
  /// `entry`, which was offered, may not leave any more, or has left.
  void withdraw(CacheEntry entry);

 private:
  static constexpr std::uint32_t absent = std::numeric_limits<std::uint32_t>::max();
  struct Candidate {
    std::uint64_t rank = 0;
    CacheEntry entry{};
    bool leaves_before(const Candidate& other) const {
      return rank != other.rank ? rank < other.rank : entry > other.entry;
    }
  };
  void put(std::size_t place, const Candidate& candidate);
  void sift_up(std::size_t place, const Candidate& candidate);
  void sift_down(std::size_t place, const Candidate& candidate);

  std::vector<Candidate> heap_{};
  std::vector<std::uint32_t> places_{};  // by index(entry): where it stands in the heap
};

}  // namespace servecast
