#include "models/policy/caches/eviction_queue.h"

#include <cassert>
#include <utility>

namespace servecast {

void EvictionQueue::offer(CacheEntry entry, std::uint64_t rank) {
  assert(!contains(entry));
  const auto number = static_cast<std::uint32_t>(index(entry));
  if (number >= seats_.size()) seats_.resize(number + 1);
  if (last_ == none || rank > seats_[last_].rank) return append(number, rank);
  heap_.emplace_back();
  sift_up(heap_.size() - 1, {.rank = rank, .entry = entry});
}

void EvictionQueue::withdraw(CacheEntry entry) {
  assert(contains(entry));
  Seat& seat = seats_[index(entry)];
  const std::uint32_t place = std::exchange(seat.place, absent);
  if (place == listed)
    unlink(seat);
  else
    take_from_heap(place);
}

void EvictionQueue::append(std::uint32_t entry, std::uint64_t rank) {
  seats_[entry] = {.rank = rank, .before = last_, .place = listed};
  (last_ == none ? first_ : seats_[last_].behind) = entry;
  last_ = entry;
}

void EvictionQueue::unlink(const Seat& seat) {
  (seat.before == none ? first_ : seats_[seat.before].behind) = seat.behind;
  (seat.behind == none ? last_ : seats_[seat.behind].before) = seat.before;
}

void EvictionQueue::take_from_heap(std::size_t hole) {
  const Candidate last = heap_.back();
  heap_.pop_back();
  if (hole == heap_.size()) return;  // it was the last itself
  if (hole > 0 && last.leaves_before(heap_[(hole - 1) / 2]))
    sift_up(hole, last);
  else
    sift_down(hole, last);
}

void EvictionQueue::put(std::size_t place, const Candidate& candidate) {
  heap_[place] = candidate;
  seats_[index(candidate.entry)].place = static_cast<std::uint32_t>(place);
}

/// Puts `candidate` at `place` or above.
void EvictionQueue::sift_up(std::size_t place, const Candidate& candidate) {
  while (place > 0) {
    const std::size_t parent = (place - 1) / 2;
    if (!candidate.leaves_before(heap_[parent])) break;
    put(place, heap_[parent]);
    place = parent;
  }
  put(place, candidate);
}

/// Puts `candidate` at `place` or below.
void EvictionQueue::sift_down(std::size_t place, const Candidate& candidate) {
  for (;;) {
    std::size_t child = 2 * place + 1;
    if (child >= heap_.size()) break;
    if (child + 1 < heap_.size() && heap_[child + 1].leaves_before(heap_[child])) ++child;
    if (!heap_[child].leaves_before(candidate)) break;
    put(place, heap_[child]);
    place = child;
  }
  put(place, candidate);
}

}  // namespace servecast
