// Batcher "vllm_v1": chunked prefill as in vLLM's v1 scheduler (vllm/v1/core/sched/scheduler.py).
//
// One token budget per step. Running sequences come first, in order of admission: one token for each that decodes,
// then the rest of the prompts already begun. What is left of the budget admits waiting requests, first come, first
// served, as long as sequences and KV blocks allow: blocks for the whole prompt have to be free, though only those of
// its first chunk are taken (vLLM pull request 37307; before, these alone had to be). When blocks run out, the
// sequence admitted last is preempted and recomputed later; in such a step no request is admitted.
//
// With asynchronous scheduling a step is scheduled when the one before it starts, so a request that arrives meanwhile
// waits for the step after: on average two and a half steps until its first token instead of one and a half.
#include <algorithm>

#include "models/policy/batcher.h"

namespace servecast {
namespace {

class VllmV1 final : public Batcher {
 public:
  struct Settings {
    std::int64_t max_num_batched_tokens = 2048;
    std::int64_t max_num_seqs = 256;
    std::int64_t long_prefill_token_threshold = 0;
    bool async_scheduling = true;
    bool scheduler_reserve_full_isl = true;
    void fields(Fields& f) {
      f.field("max_num_batched_tokens", max_num_batched_tokens, "token budget of one step", at_least_one);
      f.field("max_num_seqs", max_num_seqs, "most sequences that run at a time", at_least_one);
      f.field("long_prefill_token_threshold", long_prefill_token_threshold,
              "most tokens of one prompt in one step; 0: no limit but the budget");
      f.field("async_scheduling", async_scheduling,
              "schedule the next step while one runs (vLLM's default since 0.14; not with pipeline stages)");
      f.field("scheduler_reserve_full_isl", scheduler_reserve_full_isl,
              "admit a request only where blocks for all of its prompt are free, not for its first chunk alone "
              "(vLLM's default since 0.19)");
    }
  };
  explicit VllmV1(const Settings& settings) : settings_(settings) {}

  std::int64_t max_step_tokens() const override { return settings_.max_num_batched_tokens; }
  std::int64_t max_sequences() const override { return settings_.max_num_seqs; }
  std::int64_t depth() const override { return settings_.async_scheduling ? 2 : 1; }

  void fill(Batch& batch) override {
    std::int64_t budget = settings_.max_num_batched_tokens - batch.decode_all();
    budget -= batch.draft_tokens();
    for (std::int64_t i = 0; i < batch.prefilling() && budget > 0; ++i)
      budget -= batch.continue_prefill(i, chunk(batch.prefill(i).left_tokens, budget));
    if (batch.preempted() > 0) return;
    while (budget > 0 && batch.has_waiting() && batch.running() < settings_.max_num_seqs) {
      const auto computed = batch.admit(chunk(batch.waiting().left_tokens, budget),
                                        {.whole_prompt_fits = settings_.scheduler_reserve_full_isl});
      if (!computed) return;
      budget -= *computed;
    }
  }

  // Blocks only get fewer while the same sequences decode, so a request that could not be admitted still cannot.
  bool repeatable(const Batch&) const override { return true; }

 private:
  std::int64_t chunk(std::int64_t left_tokens, std::int64_t budget) const {
    const std::int64_t threshold = settings_.long_prefill_token_threshold;
    return std::min({left_tokens, budget, threshold > 0 ? threshold : budget});
  }
  Settings settings_;
};

[[maybe_unused]] const bool added = Registry<Batcher>::add<VllmV1>(
    "vllm_v1", "chunked prefill: decodes first, then prompts with the token budget that is left");

}  // namespace
}  // namespace servecast
