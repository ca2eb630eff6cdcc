// Batcher "vllm_v0": prompts first, whole, as in vLLM before its v1 scheduler (vllm/core/scheduler.py, Kwon et al.,
// SOSP 2023).
//
// While the head of the queue fits, a step computes whole prompts and no sequence decodes; only when none can be
// admitted do all sequences decode. New requests get their first token soon, running ones stall meanwhile. Before its
// turn each decoding sequence wants a free block, needed or not; where there is none, the sequence that arrived last
// is preempted and recomputed.
//
// A prompt longer than the token budget is rejected on arrival, as vLLM v0 ignores it. A recomputation that has
// outgrown the budget runs alone: vLLM v0 never meets one, since it refuses a budget below its longest sequence
// (max_model_len). A sequence that holds the whole cache finds no free block, is preempted, recomputed, and so gets
// one token at a time.
//
// Published figures of the Vidur simulator (MLSys 2024) count the token budget with
// padding.
#include <algorithm>

#include "models/policy/batcher.h"

namespace servecast {
namespace {

class VllmV0 final : public Batcher {
 public:
  struct Settings {
    std::int64_t max_num_batched_tokens = 4096;
    std::int64_t max_num_seqs = 256;
    bool count_padding = false;
    void fields(Fields& f) {
      f.field("max_num_batched_tokens", max_num_batched_tokens,
              "most prompt tokens in one step; a longer prompt is rejected", at_least_one);
      f.field("max_num_seqs", max_num_seqs, "most sequences that run at a time", at_least_one);
      f.field("count_padding", count_padding, "count every prompt of a step as long as its longest");
    }
  };
  explicit VllmV0(const Settings& settings) : settings_(settings) {}

  std::int64_t max_step_tokens() const override { return settings_.max_num_batched_tokens; }
  std::int64_t max_sequences() const override { return settings_.max_num_seqs; }
  std::int64_t max_prompt_tokens() const override { return settings_.max_num_batched_tokens; }

  void fill(Batch& batch) override {
    if (admit_prompts(batch) == 0) batch.decode_all({.spare_block = true});
  }

  // A request that was not admitted lacked blocks, of which decodes only leave fewer, or a place, or budget in an
  // empty step.
  bool repeatable(const Batch&) const override { return true; }

 private:
  std::int64_t admit_prompts(Batch& batch) const {
    const std::int64_t most = sequences_per_lane(settings_.max_num_seqs, batch.lanes());
    std::int64_t admitted = 0;
    std::int64_t longest = 0;
    std::int64_t sum = 0;
    while (batch.has_waiting() && batch.running() < settings_.max_num_seqs && admitted < most) {
      const std::int64_t tokens = batch.waiting().left_tokens;
      longest = std::max(longest, tokens);
      const std::int64_t counted = settings_.count_padding ? (admitted + 1) * longest : sum + tokens;
      if (admitted > 0 && counted > settings_.max_num_batched_tokens) break;
      if (!batch.admit(tokens, {.whole_prompt = true, .arrival_order = true})) break;
      sum += tokens;
      ++admitted;
    }
    return admitted;
  }
  Settings settings_;
};

[[maybe_unused]] const bool added =
    Registry<Batcher>::add<VllmV0>("vllm_v0", "whole prompts first; all sequences decode when none can be admitted");

}  // namespace
}  // namespace servecast
