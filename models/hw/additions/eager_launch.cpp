#include "models/hw/additions/eager_launch.h"

#include <vector>

#include "models/base/counts.h"
#include "models/hw/latency/latency_around.h"
#include "models/hw/llm/shape.h"

namespace servecast {
namespace {

constexpr std::int64_t launched_norms = 2;
constexpr std::int64_t launched_mlp = 3;
constexpr std::int64_t launched_experts = 2;  // router, all experts at once
constexpr std::int64_t triton_kernel = 2;     // of 1, 1.5, 1.75, 2 and 2.5 operations, on gpt-oss-120b
constexpr std::int64_t launched_triton_experts = 4 + 8 * triton_kernel;
constexpr std::int64_t launched_linear_attention = 10 + 11 * triton_kernel;
constexpr std::int64_t launched_output_gate = 4;  // queries and gates copied apart, a sigmoid and a product
constexpr std::int64_t launched_shared_gate = 3;  // a product, a sigmoid and a product

std::int64_t attention_operations(const Llm& llm, std::int64_t layer) {
  if (llm.attention(layer) == Attention::linear) return launched_linear_attention;
  if (llm.latent) return llm.latent->query_rank > 0 ? 11 : 10;
  return 3 + (llm.qk_norm ? 1 : 0) + (llm.gated_attention ? launched_output_gate : 0);
}

std::int64_t shared_operations(const Experts& experts) {
  if (experts.shared_intermediate == 0) return 0;
  return launched_mlp + 1 + (experts.shared_gate ? launched_shared_gate : 0);
}

std::int64_t mlp_operations(const EagerLaunch& launch, std::int64_t layer) {
  if (!launch.llm.has_experts(layer)) return launched_mlp;
  const Experts& experts = *launch.llm.experts;
  const std::int64_t choice = experts.even_loads ? launch.biased_choice_operations : 1;
  const std::int64_t routed = launch.triton_experts ? launched_triton_experts : launched_experts + choice;
  return routed + shared_operations(experts);
}

class EagerSteps final : public LatencyAround {
 public:
  EagerSteps(std::unique_ptr<StepLatency> model, const EagerLaunch& launch)
      : LatencyAround(std::move(model)),
        graph_tokens_(launch.graph_tokens),
        prompts_in_graphs_(launch.prompts_in_graphs) {
    for (std::int64_t stage = 0; stage < stages(); ++stage) {
      const LayerRange layers = stage_layers(launch.llm.layers, stages(), stage);
      std::int64_t operations = 0;
      for (std::int64_t layer = layers.first; layer < layers.last; ++layer)
        operations += launched_operations(launch, layer);
      launch_s_.push_back(launch.operation_s * real(operations));
      const std::int64_t apart = launch.llm.latent ? launched_latent_decodes * (layers.last - layers.first) : 0;
      decodes_apart_s_.push_back(launch.operation_s * real(apart));
    }
  }

  StageTime stage(const StepWork& work, std::int64_t stage) const override {
    if (in_graph(work)) return model().stage(work, stage);
    StageTime time = model().stage(work, stage);
    const double waits_s = launch_s(work, static_cast<std::size_t>(stage)) - time.seconds;
    if (waits_s <= 0) return time;
    time.seconds += waits_s;
    time.host_s += waits_s;
    return time;
  }

 private:
  bool in_graph(const StepWork& work) const {
    if (work.prefill_tokens > 0 && !prompts_in_graphs_) return false;
    return work.decode_sequences + work.prefill_tokens <= graph_tokens_;
  }

  double launch_s(const StepWork& work, std::size_t stage) const {
    const bool mixed = work.prefill_tokens > 0 && work.decode_sequences > 0;
    return launch_s_[stage] + (mixed ? decodes_apart_s_[stage] : 0);
  }

  std::vector<double> launch_s_{};  // of each stage
  std::vector<double> decodes_apart_s_{};
  std::int64_t graph_tokens_;
  bool prompts_in_graphs_;
};

}  // namespace

std::int64_t launched_operations(const EagerLaunch& launch, std::int64_t layer) {
  return launched_norms + attention_operations(launch.llm, layer) + mlp_operations(launch, layer);
}

std::unique_ptr<StepLatency> with_eager_launch(std::unique_ptr<StepLatency> model, const EagerLaunch& launch) {
  return std::make_unique<EagerSteps>(std::move(model), launch);
}

}  // namespace servecast
