#include "models/hw/additions/eager_launch.h"

#include <vector>

#include "models/base/counts.h"
#include "models/hw/latency/latency_around.h"
#include "models/hw/llm/shape.h"

namespace servecast {
namespace {

constexpr std::int64_t launched_norms = 2;
constexpr std::int64_t launched_experts = 3;  // router, choice, all experts at once
constexpr std::int64_t launched_triton_experts = 12;

/// Products of weights, each with what quantises its inputs, and the rest.
struct Launched {
  std::int64_t products = 0;
  std::int64_t others = 0;

  std::int64_t operations(DataType weights) const {
    return (weights == DataType::fp8_block ? 2 : 1) * products + others;
  }
};

Launched launched_attention(const Llm& llm, std::int64_t layer) {
  if (llm.attention(layer) == Attention::linear) return {.products = 3, .others = 14};
  if (llm.latent) return {.products = 4, .others = llm.latent->query_rank > 0 ? 4 : 3};
  return {.products = 2, .others = llm.qk_norm ? 2 : 1};
}

constexpr Launched launched_mlp{.products = 2, .others = 1};

std::int64_t mlp_operations(const EagerLaunch& launch, std::int64_t layer) {
  const std::int64_t dense = launched_mlp.operations(launch.weights.mlp);
  if (!launch.llm.has_experts(layer)) return dense;
  const bool shared = launch.llm.experts->shared_intermediate > 0;
  return (launch.triton_experts ? launched_triton_experts : launched_experts) + (shared ? dense + 1 : 0);
}

class EagerSteps final : public LatencyAround {
 public:
  EagerSteps(std::unique_ptr<StepLatency> model, const EagerLaunch& launch)
      : LatencyAround(std::move(model)), graph_sequences_(launch.graph_sequences) {
    for (std::int64_t stage = 0; stage < stages(); ++stage) {
      const LayerRange layers = stage_layers(launch.llm.layers, stages(), stage);
      std::int64_t operations = 0;
      for (std::int64_t layer = layers.first; layer < layers.last; ++layer)
        operations += launched_operations(launch, layer);
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

std::int64_t launched_operations(const EagerLaunch& launch, std::int64_t layer) {
  return launched_norms + launched_attention(launch.llm, layer).operations(launch.weights.attention) +
         mlp_operations(launch, layer);
}

std::unique_ptr<StepLatency> with_eager_launch(std::unique_ptr<StepLatency> model, const EagerLaunch& launch) {
  return std::make_unique<EagerSteps>(std::move(model), launch);
}

}  // namespace servecast
