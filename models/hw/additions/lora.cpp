#include "models/hw/additions/lora.h"

#include "models/base/counts.h"

namespace servecast {
namespace {

class WithAdapters final : public StepLatency {
 public:
  WithAdapters(std::unique_ptr<StepLatency> model, const LoraCost& cost) : model_(std::move(model)), cost_(cost) {}

  std::int64_t stages() const override { return model_->stages(); }
  double chunk_s(std::int64_t tokens, std::int64_t prefix_tokens) const override {
    return model_->chunk_s(tokens, prefix_tokens);
  }
  StageTime stage(const StepWork& work, std::int64_t stage) const override {
    StageTime time = model_->stage(work, stage);
    if (work.adapters > 0)
      time.seconds += (cost_.launches_s + cost_.adapter_s * real(work.adapters)) / real(stages());
    return time;
  }
  StepSends sends(const StepWork& work, std::int64_t stage) const override { return model_->sends(work, stage); }

 private:
  std::unique_ptr<StepLatency> model_;
  LoraCost cost_;
};

bool dense_mlp(const Llm& llm, bool mlp) { return mlp && !llm.experts; }

}  // namespace

std::int64_t lora_products(const Llm& llm, bool mlp) {
  return 4 + (dense_mlp(llm, mlp) ? (llm.gated_mlp ? 3 : 2) : 0);
}

double lora_parameters(const Llm& llm, std::int64_t rank, bool mlp) {
  const double hidden = real(llm.hidden);
  const double queries = real(llm.heads * llm.query_size());
  const double keys = real(llm.kv_heads * llm.head_size);
  double sides = (hidden + queries) + 2 * (hidden + keys) + (queries + hidden);
  if (dense_mlp(llm, mlp)) sides += (llm.gated_mlp ? 3 : 2) * (hidden + real(llm.intermediate));
  return real(llm.layers) * real(rank) * sides;
}

std::unique_ptr<StepLatency> make_with_adapters(std::unique_ptr<StepLatency> model, const LoraCost& cost) {
  return std::make_unique<WithAdapters>(std::move(model), cost);
}

}  // namespace servecast
