#pragma once
#include <array>
#include <cassert>
#include <cstdint>
#include <vector>

#include "models/base/record.h"
#include "models/hw/latency/step_latency.h"
#include "models/policy/caches/tier_store.h"
#include "sim/serving/sequences/decode_set.h"
#include "sim/serving/step/step_run.h"

namespace servecast {

/// One batch, from when it is filled to when its tokens are out.
struct FilledBatch {
  struct Chunk {
    Slot slot{};  // another's, perhaps, by the time that the batch ends
    RequestId request{};
    std::int64_t tokens = 0;
    std::int64_t computed = 0;  // of its prompt, with these
  };
  struct Fresh {  // sequences that got their last token outside a decode step, all at the same instant
    double token_s = 0;
    std::int64_t count = 0;
  };

  bool decoded = false;  // the decodes take part
  bool streams = false;  // KV of its chunks leaves as it is computed
  std::vector<Chunk> chunks{};
  std::vector<Slot> prompts{};         // those of the chunks that end a prompt: they come out with a token
  std::vector<Slot> finishing{};       // decodes that make their last token
  std::vector<Fresh> fresh{};          // decodes for which this is the first decode step
  std::vector<StepMember> members{};   // all, where the listener wants to know
  std::int64_t preempted = 0;          // requests thrown out while it was filled
  std::int64_t padding_sequences = 0;  // sequences that have made their last token and are computed still
  std::int64_t rejected = 0;           // tokens computed and thrown away: drafts that were wrong
  std::int64_t accepted_drafts = 0;    // output tokens of decodes beyond one each
  double wait_s = 0;  // before each stage computes it: copies of blocks between GPU and host, first use of kernels
  StepWork work{};
  double start_s = 0;
  double end_s = 0;  // infinite while it is not known
  StepRun run{};
  double seen_s = 0;  // its tokens are with the clients
  std::int64_t used_blocks = 0;
  std::vector<TierUnit> computed{};  // that tiers take when it has ended

  /// It holds decodes and nothing else, none of which makes its last token.
  bool only_decodes_on() const { return decoded && chunks.empty() && finishing.empty(); }
  std::int64_t made_tokens() const { return work.emitted_tokens - rejected; }
  /// Sequences that go on with a token, or several.
  std::int64_t decodes() const { return work.decode_sequences - padding_sequences; }
  /// Tokens of prompts that end in it.
  std::int64_t first_tokens() const { return made_tokens() - accepted_drafts - decodes(); }

  /// So many sequences make a token each.
  void decode(const DecodeSet& decodes, std::int64_t sequences) {
    decoded = true;
    work.decode_sequences = sequences;
    work.decode_kv_tokens = decodes.kv_tokens();
    work.decode_chunk_tokens = decodes.chunk_tokens();
    work.emitted_tokens += sequences + work.draft_tokens;
  }

  void clear() {
    decoded = streams = false;
    chunks.clear();
    prompts.clear();
    finishing.clear();
    fresh.clear();
    members.clear();
    computed.clear();
    preempted = padding_sequences = rejected = accepted_drafts = 0;
    work = {};
    wait_s = 0;
    run.clear();
  }
};

/// The batches under way, in order, and where fewer are than may be, behind them the one that is being filled. They
/// take turns in the same places, so that the loop neither copies nor allocates.
class BatchRing {
 public:
  static constexpr std::size_t most_under_way = 2;

  std::size_t size() const { return count_; }  // under way
  const FilledBatch& operator[](std::size_t i) const { return ring_[(first_ + i) % ring_.size()]; }
  FilledBatch& filling() {
    assert(count_ < ring_.size());
    return ring_[(first_ + count_) % ring_.size()];
  }
  const FilledBatch& filling() const { return (*this)[count_]; }

  /// The first of those under way.
  FilledBatch& running() { return ring_[first_]; }
  /// Of those under way, the one that was filled last.
  FilledBatch& last() { return ring_[(first_ + count_ - 1) % ring_.size()]; }

  /// A sequence that ends its prompt in a batch under way is not waited for any more.
  void forget(Slot slot) {
    for (FilledBatch& batch : ring_) std::erase(batch.prompts, slot);
  }
  /// The batch being filled is under way from now on.
  void push() { ++count_; }
  /// The first has ended; what it holds stays readable until another is filled.
  void pop() {
    first_ = (first_ + 1) % ring_.size();
    --count_;
  }
  /// The first has ended, and another is under way behind the others: in the same place where there are none.
  FilledBatch& turn() {
    if (count_ > 1) first_ = (first_ + 1) % ring_.size();
    return last();
  }

 private:
  std::array<FilledBatch, most_under_way> ring_{};
  std::size_t first_ = 0;
  std::size_t count_ = 0;
};

/// A group of sequences that step together. A replica has one lane, or with pipeline parallelism as many as stages,
/// so that every stage can have a batch; where prompts and decodes run at the same time, as many for each Side. A
/// sequence belongs to the lane that admitted it, and while the lane's batch is under way none of its sequences can
/// be scheduled again.
///
/// With asynchronous scheduling a lane has two batches under way: one runs, the next is filled already, as if the
/// first had ended. Which sequences have finished by then is known when a batch is filled, since lengths are; what
/// that frees is not free before the batch has really ended.
struct Lane {
  Lane(std::size_t position, Side part, const KvCache& cache, Speculator* speculator, std::int64_t attention_chunk)
      : number(position), side(part), decodes(cache, speculator, attention_chunk) {}

  std::size_t number;  // of the replica's lanes
  Side side;
  DecodeSet decodes;
  std::vector<Slot> prefilling{};      // admitted, prompt not finished; in order of admission
  std::vector<Slot> joining{};         // prompt finished by the batch filled last: they decode from the next one on
  std::vector<Slot> swapped{};         // preempted with their blocks in host memory: the first comes back first
  std::vector<Slot> received{};        // from other replicas: they decode from the next batch on
  std::vector<Slot> finished{};        // see AfterLast
  std::vector<Slot> cancelled{};       // their clients gave up: out when the next batch is filled
  std::int64_t padding_kv_tokens = 0;  // that padding sequences hold
  BatchRing batches{};
  bool ended = false;  // a batch has ended at this instant, and the next can be filled

  double last_decode_s = 0;                 // when the tokens of the last step with the decodes in it were seen
  double last_seen_s = 0;                   // the same of the batch filled last
  std::vector<FilledBatch::Fresh> fresh{};  // members that joined since the last decode step
  std::int64_t spare_blocks = 0;            // that must be free beside those due, or the exact rules decide
  bool repeat = false;                      // the next batch is this one with one more token per sequence

  bool busy() const { return batches.size() > 0; }
  FilledBatch& batch() { return batches.filling(); }
};

}  // namespace servecast
