// Batcher "orca": iteration-level scheduling with selective batching (Orca, Yu et al., OSDI 2022).
//
// In every step all sequences decode, and waiting requests join with their whole prompt while places and memory
// allow, in one batch. Running sequences stall while a long prompt is computed in the same step. Orca reserves memory
// in one piece: use it with the KV caches "contiguous_max", "contiguous_pow2" or "contiguous_oracle".
#include "models/policy/batcher.h"

namespace servecast {
namespace {

class Orca final : public Batcher {
 public:
  struct Settings {
    std::int64_t max_num_seqs = 128;
    std::int64_t max_num_batched_tokens = 16384;
    void fields(Fields& f) {
      f.field("max_num_seqs", max_num_seqs, "most sequences that run at a time", at_least_one);
      f.field("max_num_batched_tokens", max_num_batched_tokens,
              "most tokens in one step, for which memory is reserved; a longer prompt runs alone", at_least_one);
    }
  };
  explicit Orca(const Settings& settings) : settings_(settings) {}

  std::int64_t max_step_tokens() const override { return settings_.max_num_batched_tokens; }
  std::int64_t max_sequences() const override { return settings_.max_num_seqs; }

  void fill(Batch& batch) override {
    std::int64_t sequences = batch.decode_all();
    std::int64_t tokens = sequences + batch.draft_tokens();
    const std::int64_t most = sequences_per_lane(settings_.max_num_seqs, batch.lanes());
    while (batch.preempted() == 0 && batch.has_waiting() && sequences < most) {
      const std::int64_t prompt = batch.waiting().left_tokens;
      if (tokens > 0 && tokens + prompt > settings_.max_num_batched_tokens) return;
      if (!batch.admit(prompt)) return;
      tokens += prompt;
      ++sequences;
    }
  }

  // A request that was not admitted lacked memory, a place or budget: decodes leave no more of these.
  bool repeatable(const Batch&) const override { return true; }

 private:
  Settings settings_;
};

[[maybe_unused]] const bool added =
    Registry<Batcher>::add<Orca>("orca", "all sequences decode in every step; whole prompts join as they fit");

}  // namespace
}  // namespace servecast
