#pragma once
#include <array>
#include <limits>
#include <queue>

#include "models/policy/queue.h"
#include "sim/serving/sequences/listener.h"
#include "sim/serving/sequences/sequence.h"
#include "sim/serving/state/adapter_loads.h"

namespace servecast {

/// When the client of a sequence gives up. Stale once the sequence's record is out.
struct GiveUp {
  double at_s = std::numeric_limits<double>::infinity();
  std::uint32_t arrival = 0;
  Slot slot{};
  bool operator<(const GiveUp& other) const {  // the earliest on top
    return at_s != other.at_s ? at_s > other.at_s : arrival > other.arrival;
  }
};

/// What the sequences of a replica add up to.
struct SequenceSums {
  std::array<std::int64_t, sequence_states> counts{};  // requests, by SequenceState
  std::int64_t running = 0;                            // requests in all states that run
  std::int64_t running_sequences = 0;                  // of these: one each, or as many as a request has side by side
  std::int64_t uncomputed_tokens = 0;
  std::int64_t awaited = 0;  // requests whose clients go on only when they have their answers

  std::int64_t of(SequenceState state) const { return counts[static_cast<std::size_t>(state)]; }
  /// Requests that run, or will once there is room.
  std::int64_t work() const { return running + of(SequenceState::waiting) + of(SequenceState::swapped); }
  /// Nothing is left of any.
  bool empty() const { return counts == decltype(counts){}; }
  bool operator==(const SequenceSums&) const = default;
};

/// The sequences of a replica, and what they add up to. Every edge of a sequence's life is one function here, and no
/// sum is written anywhere else: a sequence that takes a place takes its adapter, and gives both back whatever way it
/// leaves.
class SequenceBook {
 public:
  /// The arguments outlive it. `max_sequences` run at a time.
  SequenceBook(WaitingQueue& queue, AdapterLoads& adapters, std::int64_t max_sequences)
      : queue_(queue), adapters_(adapters), max_sequences_(max_sequences) {}

  Sequence& operator[](Slot slot) { return table_[slot]; }
  const Sequence& operator[](Slot slot) const { return table_[slot]; }
  SequenceTable& table() { return table_; }
  const SequenceTable& table() const { return table_; }

  const SequenceSums& sums() const { return sums_; }
  /// There is a place, and room for its adapter.
  bool has_place(const Sequence& s) const {
    return sums_.running_sequences + s.request.width() <= max_sequences_ && adapters_.has_room(s);
  }
  /// A request in the queue may be admitted. Swapped-out sequences come back first.
  bool admits() const {
    return (!admissions_wait_ || sums_.running == 0) && sums_.of(SequenceState::swapped) == 0 &&
           sums_.of(SequenceState::waiting) > 0;
  }
  /// The sequence whose client gives up first, and when.
  const GiveUp& next_give_up() const { return give_ups_.empty() ? never : give_ups_.top(); }

  // -- edges
  /// It waits in the queue.
  Slot arrive(const Sequence& sequence);
  /// One that is to come from another replica has a place.
  Slot add(const Sequence& sequence);
  /// It comes: its record is here from now on.
  void import(Slot slot);
  /// Its turn comes while its KV is fetched.
  void set_aside(Slot slot);
  /// It goes back to the front of the queue: its KV was fetched, or it was preempted.
  void put_in_front(Slot slot);
  /// It leaves the queue and runs in a lane, `cached_tokens` of it computed.
  void admit(Slot slot, std::size_t lane, std::int64_t cached_tokens, bool arrival_order);
  /// So many tokens of it are in a batch.
  void compute(Slot slot, std::int64_t tokens);
  /// It goes on in another state, which changes nothing else.
  void enter(Slot slot, SequenceState state);
  /// One from another replica takes its place in its lane.
  void run_import(Slot slot);
  /// Preempted: its blocks are gone, and prompt and output so far are computed again.
  void start_over(Slot slot);
  /// Its prompt finds no block that other lanes do not hold: no request is admitted until one that runs has finished,
  /// or two prompts could take turns throwing each other out for ever.
  void hold_admissions() { admissions_wait_ = true; }
  /// Its record is out, or goes out elsewhere.
  void mark_reported(Slot slot);
  /// Its client gave up while a fetch fills its blocks.
  void forget(Slot slot);
  /// This replica has forgotten it.
  void remove(Slot slot);
  /// All are gone.
  void clear();

 private:
  static constexpr GiveUp never{};
  void watch(Slot slot);
  bool stale(const GiveUp& entry) const {
    return table_[entry.slot].reported || table_[entry.slot].arrival != entry.arrival;
  }
  std::int64_t& counted(SequenceState state) { return sums_.counts[static_cast<std::size_t>(state)]; }

  WaitingQueue& queue_;
  AdapterLoads& adapters_;
  std::int64_t max_sequences_;
  SequenceTable table_{};
  SequenceSums sums_{};
  bool admissions_wait_ = false;
  std::uint32_t arrivals_ = 0;
  std::uint32_t admissions_ = 0;
  std::priority_queue<GiveUp> give_ups_{};
};

}  // namespace servecast
