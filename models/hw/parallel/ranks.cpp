#include "models/hw/parallel/ranks.h"

#include <algorithm>
#include <utility>

#include "models/base/counts.h"

namespace servecast {
namespace {

/// A part of a sum, rounded up.
struct Part {
  std::int64_t total = 1;  // out of so many
  std::int64_t taken = 1;
  std::int64_t operator()(std::int64_t sum) const { return divided_up(sum * taken, total); }
};

/// So many of the step's chunks, the longest and others of mean size.
void add_prompts(StepWork& rank, const StepWork& work, std::int64_t chunks, std::int64_t batches) {
  StepWork longest;
  longest.add_chunk(work.longest.tokens, work.longest.prefix_tokens, work.longest.attention_s);
  const Part others{.total = std::max<std::int64_t>(1, work.prefill_sequences - 1), .taken = chunks - 1};
  for (const auto counted :
       {&StepWork::prefill_sequences, &StepWork::prefill_tokens, &StepWork::prefill_squared_tokens,
        &StepWork::prefill_prefix_tokens, &StepWork::prefill_prefix64_tokens, &StepWork::prefill_pairs})
    rank.*counted = divided_up(longest.*counted + others(work.*counted - longest.*counted), batches);
  const double rest_s = (work.prefill_attention_s - longest.prefill_attention_s) * real(others.taken);
  rank.prefill_attention_s = (longest.prefill_attention_s + rest_s / real(others.total)) / real(batches);
}

class OnEachRank final : public StepLatency {
 public:
  OnEachRank(std::unique_ptr<StepLatency> copy, std::int64_t ranks) : copy_(std::move(copy)), ranks_(ranks) {}

  std::int64_t stages() const override { return copy_->stages(); }
  double chunk_s(std::int64_t tokens, std::int64_t prefix_tokens) const override {
    return copy_->chunk_s(tokens, prefix_tokens);
  }
  StageTime stage(const StepWork& work, std::int64_t stage) const override {
    return copy_->stage(fullest_rank(work, ranks_, 1), stage);
  }

 private:
  std::unique_ptr<StepLatency> copy_;
  std::int64_t ranks_;
};

}  // namespace

StepWork fullest_rank(const StepWork& work, std::int64_t ranks, std::int64_t batches) {
  StepWork w{.group_tokens = divided_up(work.tokens(), batches)};
  if (work.decode_sequences > 0) {
    w.decode_sequences = divided_up(divided_up(work.decode_sequences, ranks), batches);
    const Part part{.total = work.decode_sequences, .taken = w.decode_sequences};
    w.decode_kv_tokens = part(work.decode_kv_tokens);
    w.decode_chunk_tokens = part(work.decode_chunk_tokens);
    w.draft_sequences = part(work.draft_sequences);
    w.draft_tokens = part(work.draft_tokens);
  }
  if (work.prefill_sequences > 0) add_prompts(w, work, divided_up(work.prefill_sequences, ranks), batches);
  w.emitted_tokens = divided_up(divided_up(work.emitted_tokens, ranks), batches);
  return w;
}

std::unique_ptr<StepLatency> on_each_rank(std::unique_ptr<StepLatency> copy, std::int64_t ranks) {
  return std::make_unique<OnEachRank>(std::move(copy), ranks);
}

}  // namespace servecast
