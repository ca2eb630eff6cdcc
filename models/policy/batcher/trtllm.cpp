// Batcher "trtllm": in-flight batching as in TensorRT-LLM's executor.
//
// All decoding sequences take part in every step; whole prompts join, first come, first served, as long as tokens and
// sequences of a step allow. Without chunked context a prompt longer than the token budget is cut. With the
// KV cache "paged_reserved" this is the policy GUARANTEED_NO_EVICT.
#include <algorithm>

#include "models/policy/batcher.h"

namespace servecast {
namespace {

class Trtllm final : public Batcher {
 public:
  struct Settings {
    std::int64_t max_num_tokens = 8192;
    std::int64_t max_batch_size = 2048;
    bool enable_chunked_context = false;
    bool overlap_scheduler = false;
    void fields(Fields& f) {
      f.field("max_num_tokens", max_num_tokens, "most tokens in one step", at_least_one);
      f.field("max_batch_size", max_batch_size, "most sequences that run at a time", at_least_one);
      f.field("enable_chunked_context", enable_chunked_context, "a prompt may be cut to what the step has left");
      f.field(
          "overlap_scheduler", overlap_scheduler,
          "schedule the next step while one runs (the PyTorch flow's default since 0.20; not with pipeline stages)");
    }
  };
  explicit Trtllm(const Settings& settings) : settings_(settings) {}

  std::int64_t max_step_tokens() const override { return settings_.max_num_tokens; }
  std::int64_t max_sequences() const override { return settings_.max_batch_size; }
  std::int64_t depth() const override { return settings_.overlap_scheduler ? 2 : 1; }

  void fill(Batch& batch) override {
    std::int64_t budget = settings_.max_num_tokens - batch.decode_all();
    budget -= batch.draft_tokens();
    for (std::int64_t i = 0; i < batch.prefilling() && budget > 0; ++i)
      budget -= batch.continue_prefill(i, std::min(batch.prefill(i).left_tokens, budget));
    if (batch.preempted() > 0) return;
    while (budget > 0 && batch.has_waiting() && batch.running() < settings_.max_batch_size) {
      const std::int64_t wanted = batch.waiting().left_tokens;
      if (!fits(wanted, budget)) return;
      const auto computed = batch.admit(std::min(wanted, budget), {.whole_prompt = true});
      if (!computed) return;
      budget -= *computed;
    }
  }

  // While the same sequences decode, blocks only get fewer and the budget stays: a waiting request still does not
  // fit.
  bool repeatable(const Batch&) const override { return true; }

 private:
  /// A prompt longer than any step is cut after all.
  bool fits(std::int64_t tokens, std::int64_t budget) const {
    return settings_.enable_chunked_context || tokens <= budget || budget == settings_.max_num_tokens ||
           tokens > settings_.max_num_tokens;
  }
  Settings settings_;
};

[[maybe_unused]] const bool added =
    Registry<Batcher>::add<Trtllm>("trtllm", "in-flight batching: decodes and whole prompts in one step");

}  // namespace
}  // namespace servecast
