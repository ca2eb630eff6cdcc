#include "models/hw/additions/eager_launch.h"

#include <vector>

#include "models/base/counts.h"
#include "models/hw/latency/latency_around.h"
#include "models/hw/llm/shape.h"

namespace servecast {
namespace {

constexpr std::int64_t launched_norms = 2;
constexpr std::int64_t launched_mlp = 3;
constexpr std::int64_t launched_experts = 3;  // router, choice, all experts at once
constexpr std::int64_t launched_triton_experts = 12;

std::int64_t attention_operations(const Llm& llm, std::int64_t layer) {
  if (llm.attention(layer) == Attention::linear) return 17;
  if (llm.latent) return llm.latent->query_rank > 0 ? 8 : 7;
  return llm.qk_norm ? 4 : 3;
}

std::int64_t mlp_operations(const Llm& llm, std::int64_t layer, bool triton_experts) {
  if (!llm.has_experts(layer)) return launched_mlp;
  const bool shared = llm.experts->shared_intermediate > 0;
  return (triton_experts ? launched_triton_experts : launched_experts) + (shared ? launched_mlp + 1 : 0);
}

class EagerSteps final : public LatencyAround {
 public:
  EagerSteps(std::unique_ptr<StepLatency> model, const EagerLaunch& launch)
      : LatencyAround(std::move(model)), graph_sequences_(launch.graph_sequences) {
    for (std::int64_t stage = 0; stage < stages(); ++stage) {
      const LayerRange layers = stage_layers(launch.llm.layers, stages(), stage);
      std::int64_t operations = 0;
      for (std::int64_t layer = layers.first; layer < layers.last; ++layer)
        operations += launched_operations(launch.llm, layer, launch.triton_experts);
      launch_s_.push_back(launch.operation_s * real(operations));
    }
  }

  StageTime stage(const StepWork& work, std::int64_t stage) const override {
    StageTime time = model().stage(work, stage);
    const double waits_s = launch_s_[static_cast<std::size_t>(stage)] - time.seconds;
    const bool in_graph = work.prefill_tokens == 0 && work.decode_sequences <= graph_sequences_;
    if (in_graph || waits_s <= 0) return time;
    time.seconds += waits_s;
    time.host_s += waits_s;
    return time;
  }

 private:
  std::vector<double> launch_s_{};  // of each stage
  std::int64_t graph_sequences_;
};

}  // namespace

std::int64_t launched_operations(const Llm& llm, std::int64_t layer, bool triton_experts) {
  return launched_norms + attention_operations(llm, layer) + mlp_operations(llm, layer, triton_experts);
}

std::unique_ptr<StepLatency> with_eager_launch(std::unique_ptr<StepLatency> model, const EagerLaunch& launch) {
  return std::make_unique<EagerSteps>(std::move(model), launch);
}

}  // namespace servecast
