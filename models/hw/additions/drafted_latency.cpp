#include "models/hw/additions/drafted_latency.h"

#include "models/hw/latency/kernel_time.h"
#include "models/hw/latency/latency_around.h"

namespace servecast {
namespace {

class Drafted final : public LatencyAround {
 public:
  Drafted(std::unique_ptr<StepLatency> model, DraftCost cost)
      : LatencyAround(std::move(model)), cost_(std::move(cost)) {}

  StageTime stage(const StepWork& work, std::int64_t stage) const override {
    StageTime sum = model().stage(work, stage);
    if (stage < stages() - 1) return sum;
    const double host_s = cost_.host_sequence_s * static_cast<double>(work.draft_sequences);
    sum.seconds += host_s;
    sum.host_s += host_s;
    if (cost_.first_layers) return work.draft_tokens > 0 ? with_first_layers(sum, work) : sum;
    if (cost_.model && (work.draft_tokens > 0 || work.prefill_tokens > 0)) sum += drafting(work);
    return sum;
  }

 private:
  StageTime drafting(const StepWork& work) const {
    StepWork first = work;
    first.prefill_attention_s = first.longest.attention_s = 0;  // those of the large model
    first.decode_chunk_tokens = 0;  // likewise
    first.emitted_tokens = work.emitted_tokens - work.draft_tokens;
    if (work.draft_tokens == 0) first.decode_sequences = first.decode_kv_tokens = first.emitted_tokens = 0;
    StageTime sum = cost_.model->stage(first, 0);
    if (work.draft_tokens == 0) return sum;
    if (length(work) > 1) sum += static_cast<double>(length(work) - 1) * cost_.model->stage(one_pass(work), 0);
    return sum;
  }

  StageTime with_first_layers(StageTime sum, const StepWork& work) const {
    StepWork checked = work;
    checked.emitted_tokens = checked.prefill_sequences = checked.prefill_tokens = checked.prefill_pairs = 0;
    checked.prefill_squared_tokens = checked.prefill_prefix_tokens = checked.prefill_prefix64_tokens = 0;
    checked.prefill_attention_s = 0;
    sum += -1.0 * cost_.model->stage(checked, 0);
    sum += static_cast<double>(length(work)) * cost_.model->stage(one_pass(work), 0);
    return sum;
  }

  std::int64_t length(const StepWork& work) const {
    return work.draft_tokens / work.draft_sequences / cost_.candidates;
  }
  /// Of a tree, a token for each candidate.
  StepWork one_pass(const StepWork& work) const {
    const std::int64_t beside = cost_.candidates - 1;
    return {.decode_sequences = work.draft_sequences,
            .decode_kv_tokens = work.decode_kv_tokens,
            .draft_sequences = beside > 0 ? work.draft_sequences : 0,
            .draft_tokens = beside * work.draft_sequences,
            .emitted_tokens = cost_.candidates * work.draft_sequences};
  }

  DraftCost cost_;
};

}  // namespace

std::unique_ptr<StepLatency> make_drafted(std::unique_ptr<StepLatency> model, DraftCost cost) {
  return std::make_unique<Drafted>(std::move(model), std::move(cost));
}

}  // namespace servecast
