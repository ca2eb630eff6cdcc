#pragma once
#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>

#include "models/base/registry.h"
#include "models/policy/request.h"

namespace servecast {

/// A sequence whose prompt still has to be computed: waiting, or admitted and part-way through.
struct PrefillView {
  RequestId id{};
  double arrival_s = 0;
  std::int64_t left_tokens = 0;   // prompt tokens still to compute (after a preemption: with the output made so far)
  std::int64_t left_outputs = 0;  // tokens that it has still to make, of each of its sequences
};

/// Outputs of the sequences that run on a replica.
struct OutputSums {
  std::int64_t sequences = 0;
  std::int64_t made = 0;
  std::int64_t asked = 0;    // in all, with those that are made
  std::int64_t to_come = 0;  // of each no more than was asked about

  /// A request of `width` sequences that have made `made` tokens each.
  void add(std::int64_t width, std::int64_t of_each, std::int64_t wanted, std::int64_t most) {
    sequences += width;
    made += width * of_each;
    asked += width * wanted;
    to_come += width * std::min(wanted - of_each, most);
  }
};

/// How decoding sequences get their blocks.
struct DecodeRules {
  bool spare_block = false;     // each that grows wants a free block before its turn, even with room in its last one
                                // (vLLM v0)
  bool cut_prompts = false;     // a prompt preempted part-way restarts with only what was computed of it; the rest is
                                // then made token by token (Vidur)
  bool fewest_outputs = false;  // where blocks are short, the sequence with the fewest outputs leaves first, of equal
                                // ones the one admitted last (SGLang)
};

/// How a waiting request is admitted.
struct AdmitRules {
  bool whole_prompt = false;   // its blocks are those of the whole prompt, not of the first chunk (vLLM v0, Sarathi)
  bool arrival_order = false;  // it is as old as its arrival, not as its last admission: for the order of preemption
  bool whole_prompt_fits = false;  // it takes the blocks of its chunk, where those of the whole prompt are free
};

/// The batch of one step, while it is put together. What a batcher does is call these; each call either succeeds or
/// says that there is no room, and the KV blocks are taken as it goes, in the order of the calls.
class Batch {
 public:
  virtual ~Batch() = default;

  // -- what a batcher may know
  virtual std::int64_t lanes() const = 0;       // batches that can be under way at a time: pipeline stages
  virtual std::int64_t lane() const = 0;        // which of them this is
  virtual std::int64_t ranks() const { return 1; }  // with requests of their own (data_parallel)
  virtual std::int64_t running() const = 0;     // sequences admitted on the whole replica, decoding or prefilling
  virtual std::int64_t decoding() const = 0;    // sequences here that can make a token now
  virtual std::int64_t prefilling() const = 0;  // sequences here admitted earlier and part-way through their prompt
  virtual PrefillView prefill(std::int64_t i) const = 0;  // the i-th of them, in order of admission
  virtual bool has_waiting() const = 0;     // false while sequences are swapped out: these come back first
  virtual PrefillView waiting() const = 0;  // the head of the waiting queue; requires has_waiting()
  virtual std::int64_t waiting_tokens() const {  // left_tokens of all that wait; requires has_waiting()
    return waiting().left_tokens;
  }
  virtual std::int64_t waiting_requests() const { return 1; }  // requires has_waiting()
  virtual std::int64_t waiting_cached() const { return 0; }  // of its left_tokens, those that the cache holds
  virtual std::int64_t free_tokens() const {                 // that free KV blocks have room for
    return std::numeric_limits<std::int64_t>::max();
  }
  /// Of all sequences that run, each of which counts no more than `most` tokens to come. Costs O(n).
  virtual OutputSums outputs(std::int64_t /*most*/) const { return {}; }
  virtual std::int64_t decode_steps() const { return 0; }  // of all lanes so far

  // -- what it may decide
  /// Every decoding sequence makes one token. Where blocks are short, the sequences admitted last are preempted
  /// (their blocks freed, back to the front of the waiting queue, to be recomputed). Returns how many take part.
  virtual std::int64_t decode_all(const DecodeRules& rules) = 0;
  std::int64_t decode_all() { return decode_all({}); }
  /// The i-th prefilling sequence computes up to `tokens` more prompt tokens. Preempts like decode_all(). Returns how
  /// many it computes: 0 where it was itself preempted.
  virtual std::int64_t continue_prefill(std::int64_t i, std::int64_t tokens) = 0;
  /// Admits the head of the waiting queue and computes up to `tokens` of its prompt. Returns how many; nothing where
  /// its blocks are not free, and then the queue is as it was.
  virtual std::optional<std::int64_t> admit(std::int64_t tokens, const AdmitRules& rules) = 0;
  std::optional<std::int64_t> admit(std::int64_t tokens) { return admit(tokens, {}); }
  /// Every prompt of this batch computes as many tokens as the longest.
  virtual void pad_prompts() = 0;
  /// Drafts that decode_all() has put into the batch to be checked: as many tokens more, where sequences speculate.
  virtual std::int64_t draft_tokens() const { return 0; }
  /// Sequences preempted so far in this batch.
  virtual std::int64_t preempted() const = 0;
};

/// What becomes of a sequence that has made its last token while others of its batch go on.
enum class AfterLast : std::uint8_t {
  frees,         // its memory is free and its place can be taken
  keeps_memory,  // until no sequence of its lane runs any more
  pads,          // likewise, and steps compute it as padding; the client gets the whole output at the end
};

/// Sequences of one lane, where a replica's lanes share `sequences` of them. At least one, or with fewer sequences
/// than lanes no sequence would ever be admitted; how many run on all lanes together, Batch::admit() bounds.
inline std::int64_t sequences_per_lane(std::int64_t sequences, std::int64_t lanes) {
  return std::max<std::int64_t>(1, sequences / lanes);
}

/// Decides what one step computes.
class Batcher {
 public:
  static constexpr std::string_view kind = "batcher";
  static constexpr PolicyListing listing{"batchers", "what each step computes"};
  virtual ~Batcher() = default;

  /// The most tokens and sequences a step may hold: what the memory plan reserves activations for.
  virtual std::int64_t max_step_tokens() const = 0;
  virtual std::int64_t max_sequences() const = 0;

  /// The longest prompt that it ever starts: a request with a longer one is rejected on arrival.
  virtual std::int64_t max_prompt_tokens() const { return std::numeric_limits<std::int64_t>::max(); }

  /// Steps under way at a time on a replica without pipeline stages: 1, or 2 where the next step is scheduled while
  /// one runs (asynchronous scheduling).
  virtual std::int64_t depth() const { return 1; }

  virtual AfterLast after_last() const { return AfterLast::frees; }

  /// Fills `batch`. Called whenever a step can start and something is running or waiting. An empty batch means: wait.
  virtual void fill(Batch& batch) = 0;

  /// After a batch of nothing but decodes: would the next one, with one more token per sequence and nothing else
  /// changed, be the same? Then the replica repeats it without asking, until a sequence finishes, blocks run short
  /// or, with an empty queue, a request arrives.
  virtual bool repeatable(const Batch& batch) const = 0;
};

}  // namespace servecast
