#include "models/hw/additions/lora.h"

#include "models/base/counts.h"
#include "models/hw/latency/latency_around.h"

namespace servecast {
namespace {

class WithAdapters final : public LatencyAround {
 public:
  WithAdapters(std::unique_ptr<StepLatency> model, const LoraCost& cost)
      : LatencyAround(std::move(model)), cost_(cost) {}

  StageTime stage(const StepWork& work, std::int64_t stage) const override {
    StageTime time = model().stage(work, stage);
    if (work.adapters > 0)
      time.seconds += (cost_.launches_s + cost_.adapter_s * real(work.adapters)) / real(stages());
    return time;
  }

 private:
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
