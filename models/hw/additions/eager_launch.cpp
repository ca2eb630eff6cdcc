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
constexpr std::int64_t triton_kernel = 2;     // of 1, 1.5, 1.75, 2 and 2.5 operations, on gpt-oss-120b
constexpr std::int64_t launched_triton_experts = 4 + 8 * triton_kernel;
constexpr std::int64_t launched_linear_attention = 6 + 11 * triton_kernel;

std::int64_t attention_operations(const Llm& llm, std::int64_t layer) {
  if (llm.attention(layer) == Attention::linear) return launched_linear_attention;
  if (llm.latent) return llm.latent->query_rank > 0 ? 11 : 10;
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
      const std::int64_t apart = launch.llm.latent ? launched_latent_decodes * (layers.last - layers.first) : 0;
      decodes_apart_s_.push_back(launch.operation_s * real(apart));
    }
  }

  StageTime stage(const StepWork& work, std::int64_t stage) const override {
    StageTime time = model().stage(work, stage);
    const double waits_s = launch_s(work, static_cast<std::size_t>(stage)) - time.seconds;
    const bool in_graph = work.prefill_tokens == 0 && work.decode_sequences <= graph_sequences_;
    if (in_graph || waits_s <= 0) return time;
    time.seconds += waits_s;
    time.host_s += waits_s;
    return time;
  }

 private:
  double launch_s(const StepWork& work, std::size_t stage) const {
    const bool mixed = work.prefill_tokens > 0 && work.decode_sequences > 0;
    return launch_s_[stage] + (mixed ? decodes_apart_s_[stage] : 0);
  }

  std::vector<double> launch_s_{};  // of each stage
  std::vector<double> decodes_apart_s_{};
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
