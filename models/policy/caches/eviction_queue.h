#pragma once
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "models/base/ids.h"
#include "models/policy/eviction.h"

namespace servecast {

/// The entries of a cache that may leave now, in the order in which they would. What is offered with a higher rank
/// than all before it, as lru and fifo do, waits in a list; the rest in a binary heap that knows where each entry
/// stands. So offering and withdrawing are O(1) in the list and O(log n) in the heap.
class EvictionQueue {
 public:
  EvictionQueue() = default;
  /// With room for entries numbered below `entries`; more may come.
  explicit EvictionQueue(std::size_t entries) : seats_(entries) {}

  bool empty() const { return heap_.empty() && first_ == none; }
  bool contains(CacheEntry entry) const {
    return index(entry) < seats_.size() && seats_[index(entry)].place != absent;
  }
  /// The entry to evict first, and its rank; requires that one may be evicted.
  CacheEntry first() const { return list_is_first() ? CacheEntry{first_} : heap_.front().entry; }
  std::uint64_t first_rank() const { return list_is_first() ? seats_[first_].rank : heap_.front().rank; }

  /// `entry` may leave from now on; it could not before.
  void offer(CacheEntry entry, std::uint64_t rank);
  /// `entry`, which was offered, may not leave any more, or has left.
  void withdraw(CacheEntry entry);

 private:
  static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();
  static constexpr std::uint32_t absent = none;
  static constexpr std::uint32_t listed = none - 1;
  struct Candidate {
    std::uint64_t rank = 0;
    CacheEntry entry{};
    bool leaves_before(const Candidate& other) const {
      return rank != other.rank ? rank < other.rank : entry > other.entry;
    }
  };
  struct Seat {
    std::uint64_t rank = 0;
    std::uint32_t before = none;  // in the list
    std::uint32_t behind = none;
    std::uint32_t place = absent;  // in the heap, or listed
  };
  bool list_is_first() const {
    if (first_ == none || heap_.empty()) return heap_.empty();
    return Candidate{seats_[first_].rank, CacheEntry{first_}}.leaves_before(heap_.front());
  }
  void put(std::size_t place, const Candidate& candidate);
  void sift_up(std::size_t place, const Candidate& candidate);
  void sift_down(std::size_t place, const Candidate& candidate);
  void append(std::uint32_t entry, std::uint64_t rank);
  void unlink(const Seat& seat);
  void take_from_heap(std::size_t hole);

  std::vector<Candidate> heap_{};
  std::vector<Seat> seats_{};   // by index(entry)
  std::uint32_t first_ = none;  // of the list
  std::uint32_t last_ = none;
};

}  // namespace servecast
