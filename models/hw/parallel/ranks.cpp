#include "models/hw/parallel/ranks.h"

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
  if (work.prefill_sequences > 0) {
    const std::int64_t sequences = divided_up(work.prefill_sequences, ranks);
    const Part part{.total = work.prefill_sequences * batches, .taken = sequences};
    w.prefill_sequences = divided_up(sequences, batches);
    w.prefill_tokens = part(work.prefill_tokens);
    w.prefill_squared_tokens = part(work.prefill_squared_tokens);
    w.prefill_prefix_tokens = part(work.prefill_prefix_tokens);
    w.prefill_prefix64_tokens = part(work.prefill_prefix64_tokens);
    w.prefill_pairs = part(work.prefill_pairs);
    w.prefill_attention_s = work.prefill_attention_s * real(part.taken) / real(part.total);
  }
  w.emitted_tokens = divided_up(divided_up(work.emitted_tokens, ranks), batches);
  return w;
}

std::unique_ptr<StepLatency> on_each_rank(std::unique_ptr<StepLatency> copy, std::int64_t ranks) {
  return std::make_unique<OnEachRank>(std::move(copy), ranks);
}

}  // namespace servecast
