#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "models/base/record.h"
#include "models/policy/kv_cache.h"
#include "models/policy/queue.h"
#include "models/policy/request.h"
#include "sim/serving/sequences/listener.h"

namespace servecast {

/// Index of a sequence in its replica's table: its ticket, should it have to wait.
using Slot = Ticket;

/// Where a sequence is on its way through a replica. SequenceBook alone writes it.
enum class SequenceState : std::uint8_t {
  waiting,     // in the queue
  aside,       // it was its turn while its KV is fetched: out of the queue until it is there
  prefilling,  // admitted, part of its prompt still to be put into a batch
  joining,     // its whole prompt is in batches: it decodes from the next one on
  decoding,
  ending,       // its last token is in a batch under way
  finished,     // has made its last token, and stays for the others of its batch
  swapped,      // preempted while it decoded, its blocks in host memory
  imported,     // it comes from another replica, and its KV is not here yet
  kv_received,  // its KV is here: it decodes from the next batch on
  exported,     // another replica goes on with it: blocks stay until its KV has arrived there
  forgotten,    // its client gave up while a fetch fills its blocks: out when that is done
};
constexpr std::size_t sequence_states = 12;

/// It has a place among those that a replica runs at a time.
constexpr bool runs(SequenceState state) {
  return state >= SequenceState::prefilling && state <= SequenceState::ending;
}
/// It waits for its turn.
constexpr bool queued(SequenceState state) { return state <= SequenceState::aside; }
/// Time in this state counts as waiting.
constexpr bool waits(SequenceState state) {
  return queued(state) || state == SequenceState::swapped || state == SequenceState::imported ||
         state == SequenceState::kv_received;
}

/// What a replica does for a request.
enum class Serve : std::uint8_t {
  whole,
  prompt,           // computes its prompt, for another replica to go on
  streamed_prompt,  // the same, and reports every chunk
};

/// One request on a replica, from its arrival there to its last token.
struct Sequence {
  Request request{};
  RequestRecord record{};
  KvHeld held{};                // while it prefills; a decoding sequence's share follows from its DecodeSet
  std::int64_t to_compute = 0;  // tokens to compute before the next output token: the prompt; after a preemption
                                // also the output made so far
  std::int64_t computed = 0;    // of these
  std::int64_t made = 0;        // output tokens, not kept up to date while it decodes; below 0 where a cut prompt is
                                // still to be made token by token
  TokensUnderWay under_way{};   // of these, until it runs again
  std::uint32_t arrival = 0;    // order of arrival on this replica
  std::uint32_t admission = 0;  // order of admission: the last is preempted first
  std::int64_t reported_service = 0;        // output tokens reported to the queue
  std::int64_t imported_cached_tokens = 0;  // of one that came from another replica: KV that was here before it
  std::int32_t preemption_rank = 0;
  SequenceState state = SequenceState::waiting;
  std::uint16_t lane = 0;  // while it is admitted
  Serve serve = Serve::whole;
  bool tiers_probed = true;         // whether tiers below the GPU's memory hold more of its prompt has been looked up
  bool fetching = false;            // from there, while it waits
  std::int64_t fetched_behind = 0;  // prompt tokens that were in the GPU's memory when it was looked up
  std::int64_t fetched_tokens = 0;  // prompt tokens that are in its blocks when it is admitted, by a fetch
  double fetch_begun_s = 0;
  std::optional<std::uint16_t>
      awaited_by{};         // the lane whose batch waits for that fetch, since it was admitted before
  bool reported = false;    // this replica reports it no more: it has finished, left, or its client gave up
  double since_s = 0;       // start of the current wait or run
  double last_token_s = 0;  // when its client last got a token; kept across a preemption
  // While it decodes:
  std::int64_t given_back = 0;     // blocks, in the step that is being filled, before it takes part
  std::int64_t joined_step = 0;    // DecodeSet::steps() when it joined
  std::int64_t joined_tokens = 0;  // tokens held then
  // Where sequences speculate:
  std::int64_t progress = 0;                 // output tokens made since it joined
  std::array<std::int64_t, 2> last_steps{};  // of these, in its last step and the one before
  std::int64_t checks = 0;                   // steps that checked drafts of it so far

  std::int64_t left() const { return to_compute - computed; }
};

/// The sequences of one replica. Slots are used again, so the table stays as small as the busiest moment needs.
class SequenceTable {
 public:
  Slot add(const Sequence& sequence) {
    if (free_.empty()) {
      make_room();
      sequences_.push_back(sequence);
      return Slot(sequences_.size() - 1);
    }
    const Slot slot = free_.back();
    free_.pop_back();
    sequences_[index(slot)] = sequence;
    return slot;
  }
  void remove(Slot slot) {
    sequences_[index(slot)].reported = true;
    free_.push_back(slot);
  }
  /// Slots in use and free: of a free one, the record is `reported`.
  std::size_t size() const { return sequences_.size(); }
  Sequence& operator[](Slot slot) { return sequences_[index(slot)]; }
  const Sequence& operator[](Slot slot) const { return sequences_[index(slot)]; }

 private:
  /// By a quarter, not by as many again: a sequence is half a kilobyte, and there may be a thousand replicas.
  void make_room() {
    const std::size_t size = sequences_.size();
    if (size == sequences_.capacity()) sequences_.reserve(size + std::max<std::size_t>(8, size / 4));
  }

  std::vector<Sequence> sequences_;
  std::vector<Slot> free_;
};

}  // namespace servecast
