#pragma once
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "models/policy/batcher.h"
#include "sim/serving/sequences/period_counts.h"
#include "sim/serving/sequences/sequence.h"
#include "sim/serving/sequences/speculator.h"

namespace servecast {

/// The decoding sequences of one batch lane, in lazy accounts: a step in which each makes one token costs O(1),
/// whatever their number. What belongs to one sequence is worked out only when it joins, finishes or is preempted.
///
///   tokens a sequence holds now = tokens when it joined + steps since
///   it finishes                 = when the step counter reaches the step fixed at joining (kept in a heap)
///   tokens it attends to        = the same, up to what the cache keeps of a sequence: the step at which it has as
///   many
///                                 is fixed at joining, too, and a list says how many stop growing at each step
///   it takes new KV blocks      = when its tokens pass a multiple of the growth: always at the same phase of the
///                                 step counter, so one counter per phase says how many blocks a step takes; the step
///                                 from which on windowed layers take no more is fixed at joining
///
/// Where sequences speculate, each makes a number of tokens of its own in a step, and the members are walked: a step
/// costs O(n), as little per token. What a member holds is then written down in its Sequence.
class DecodeSet {
 public:
  /// Both outlive the set. Without a speculator each makes one token a step. `attention_chunk`: see Llm.
  explicit DecodeSet(const KvCache& cache, Speculator* speculator = nullptr, std::int64_t attention_chunk = 0)
      : cache_(&cache),
        speculator_(speculator),
        attended_tokens_(cache.attended_tokens()),
        due_(static_cast<std::size_t>(cache.growth_tokens()), 0),
        narrow_tokens_(due_.empty() || cache.groups().windowed == 0 ? 0 : cache.groups().narrow_tokens(growth())),
        chunk_blocks_(due_.empty() ? 0 : cache.groups().chunk_tokens()),
        chunk_tokens_(attended_tokens_ == std::numeric_limits<std::int64_t>::max() ? attention_chunk : 0) {}

  std::int64_t size() const { return static_cast<std::int64_t>(heap_.size()); }
  /// Of all members: one each, or as many as a request has side by side.
  std::int64_t sequences() const { return sequences_; }
  std::int64_t steps() const { return steps_; }
  /// KV tokens that all attend to together, and by how many more with every step, until one attends to no more.
  std::int64_t kv_tokens() const { return kv_tokens_; }
  std::int64_t growing() const { return growing_; }
  /// Of these tokens, those that layers see that attend within chunks, and by how many more with the step that comes
  /// after so many; 0 where there are none.
  std::int64_t chunk_tokens() const { return chunk_sum_; }
  std::int64_t chunk_growth(std::int64_t after) const {
    return chunk_tokens_.counts() ? sequences_ - chunk_tokens_.period() * chunk_tokens_.due(after) : 0;
  }
  bool grows_steadily() const { return stops_.empty() && !chunk_blocks_.counts(); }
  /// With their next tokens some members leave a chunk behind, whose blocks are free then.
  bool chunk_ends() const { return chunk_blocks_.due() > 0; }
  /// Blocks that the next step takes, of all members while no chunk ends, and of one; below 0 where beams give some
  /// back, or a chunk ends.
  std::int64_t blocks_due(const SequenceTable& table) const {
    if (due_.empty()) return 0;
    if (speculator_) return all_blocks_due(table);
    return due_[phase_] + (wide_.empty() ? 0 : wide_blocks_due(table));
  }
  std::int64_t blocks_due(const Sequence& s) const;
  /// No more than so many blocks are taken in the next `steps` steps, while the members stay and each is one
  /// sequence.
  std::int64_t most_blocks(std::int64_t steps) const {
    return due_.empty() ? 0 : sequences_ * cache_->groups().groups * (steps / growth() + 1);
  }

  /// `s` holds `tokens` tokens and will make `left` more; from the next step on.
  void join(Sequence& s, Slot slot, std::int64_t tokens, std::int64_t left);

  /// Each sequence makes one token.
  void step() {
    chunk_sum_ += chunk_growth(0);
    count_step();
    kv_tokens_ += growing_;
    if (!narrows_.empty() && narrows_.begin()->first == steps_) narrow();
    if (stops_.empty() || stops_.begin()->first > steps_) return;
    growing_ -= stops_.begin()->second;
    stops_.erase(stops_.begin());
  }

  // Where sequences speculate:
  /// Those with drafts; members of several sequences make one token a step each.
  std::int64_t speculating() const { return size() - static_cast<std::int64_t>(wide_.size()); }
  std::int64_t held_tokens(const SequenceTable& table) const;
  /// The next step checks so many drafts of each.
  void set_drafts(std::int64_t drafts) { drafts_ = drafts; }
  std::int64_t drafts() const { return drafts_; }
  /// In place of step(): returns how many tokens were made.
  std::int64_t step_with_drafts(SequenceTable& table);
  /// Tokens that a member made in its last `steps` steps, at most two.
  std::int64_t made_in_last(const Sequence& s, std::int64_t steps) const;
  /// Tokens behind those it holds that a sequence wants room for in the next step.
  std::int64_t tokens_wanted(const Sequence& s) const;

  /// Steps until the first sequence finishes, counted from now; requires size() > 0.
  std::int64_t steps_left() const { return heap_.front().finish - steps_; }

  /// Adds what its members have made and are to make.
  void add_outputs(const SequenceTable& table, std::int64_t most, OutputSums& sums) const;

  /// Takes out the next sequence that made its last token in the step just done, in order of admission.
  bool has_finished() const {
    return speculator_ ? !finished_.empty() : !heap_.empty() && heap_.front().finish == steps_;
  }
  Slot take_finished(const SequenceTable& table);

  /// Members in order of admission: costs O(n log n), for the rare moments when blocks run short.
  std::vector<Slot> members(const SequenceTable& table) const;
  void remove(Slot slot, const SequenceTable& table);

  /// Tokens that a member holds now.
  std::int64_t tokens(const Sequence& s) const {
    return s.joined_tokens + (speculator_ ? s.progress : steps_ - s.joined_step);
  }
  /// And blocks.
  std::int64_t blocks(const Sequence& s) const;

 private:
  struct Entry {
    std::int64_t finish;
    std::uint32_t admission;
    Slot slot;
  };
  static bool later(const Entry& a, const Entry& b) {
    return a.finish != b.finish ? a.finish > b.finish : a.admission > b.admission;
  }
  std::int64_t growth() const { return static_cast<std::int64_t>(due_.size()); }
  void count_step() {
    ++steps_;
    chunk_blocks_.step();
    chunk_tokens_.step();
    if (++phase_ >= due_.size()) phase_ = 0;
  }
  void forget(Slot slot, const Sequence& s);
  /// Blocks that a member of one sequence takes at its phase while it holds so many tokens.
  std::int64_t growth_blocks(std::int64_t tokens) const;
  void count_chunks(const Sequence& s, std::int64_t tokens, std::int64_t sign);
  void narrow_later(std::int64_t joined_step, std::int64_t joined_tokens, std::int64_t sequences);
  void narrow();
  void stop_growing(std::int64_t joined_step, std::int64_t joined_tokens, std::int64_t sequences);
  std::int64_t blocks_with_drafts(const Sequence& s) const;
  std::int64_t wide_blocks_due(const SequenceTable& table) const;
  std::int64_t all_blocks_due(const SequenceTable& table) const;
  std::int64_t make_tokens(Sequence& s);

  const KvCache* cache_;
  Speculator* speculator_;
  std::int64_t attended_tokens_;
  std::vector<Entry> heap_;        // the first to finish on top; in no order where sequences speculate
  std::vector<Entry> finished_;    // where they do: in the step just done, the one admitted first at the end
  std::vector<std::int64_t> due_;  // by phase of the step counter: blocks that members of one sequence take then
  std::int64_t narrow_tokens_;     // from which on a member takes none of windowed groups; 0: there are none
  std::map<std::int64_t, std::int64_t> narrows_{};  // members that come to that, by step
  PeriodCounts chunk_blocks_;                       // members of one sequence, by the chunks whose KV they give back
  PeriodCounts chunk_tokens_;                       // sequences, by the chunks that they attend within
  std::int64_t chunk_sum_ = 0;
  std::vector<Slot> wide_;                          // members of several sequences: few, and asked one by one
  std::int64_t sequences_ = 0;
  std::int64_t steps_ = 0;
  std::size_t phase_ = 0;  // steps_ % growth(), where they grow
  std::int64_t kv_tokens_ = 0;
  std::int64_t drafts_ = 0;
  std::int64_t growing_ = 0;                    // sequences that attend to one token more with every step
  std::map<std::int64_t, std::int64_t> stops_;  // those of them that stop, by step; empty where a cache keeps all
};

}  // namespace servecast
