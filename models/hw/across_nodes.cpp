#include "models/hw/across_nodes.h"

#include <bit>
#include <utility>
#include <vector>

#include "models/base/counts.h"
#include "models/hw/data_type.h"
#include "models/hw/pipeline_stage.h"

namespace servecast {
namespace {

class TensorsOverNodes final : public StepLatency {
 public:
  TensorsOverNodes(std::unique_ptr<StepLatency> inside, const TensorsAcrossNodes& across)
      : inside_(std::move(inside)), terms_(across.terms) {
    const std::int64_t nodes = across.shape.tensor_parallel / across.link.node_gpus;
    const double bytes = real(across.llm.hidden) * facts(DataType::bf16).bytes / real(across.link.node_gpus);
    const int rounds = std::bit_width(static_cast<std::uint64_t>(nodes - 1));  // ceil(log2 nodes)
    for (const PipelineStage& stage : pipeline_stages(across.llm, across.shape)) {
      const double gathers = across.shape.shares_out_tokens() ? stage.expert_layers : 0;
      const double reduces = 2 * stage.layers() - gathers / 2 + (stage.first ? 1 : 0);  // and embeddings
      s_per_token_.push_back(reduces * 2 * (1 - 1 / real(nodes)) * bytes / across.link.bytes_per_s);
      latency_s_.push_back(reduces * 2 * rounds * across.link.latency_s);
    }
  }

  std::int64_t stages() const override { return inside_->stages(); }
  double chunk_s(std::int64_t tokens, std::int64_t prefix_tokens) const override {
    return inside_->chunk_s(tokens, prefix_tokens);
  }
  StageTime stage(const StepWork& work, std::int64_t stage) const override {
    StageTime sum = inside_->stage(work, stage);
    sum.seconds += latency_s_[static_cast<std::size_t>(stage)] + across_nodes(work, stage).seconds;
    if (stage > 0) return sum;
    const double gpu_s = sum.seconds;
    sum.seconds = with_host_s(terms_, gpu_s, work.decode_sequences + work.prefill_sequences);
    sum.host_s = sum.seconds - gpu_s;
    return sum;
  }
  AcrossNodes across_nodes(const StepWork& work, std::int64_t stage) const override {
    return {.seconds = s_per_token_[static_cast<std::size_t>(stage)] * real(work.tokens())};
  }

 private:
  std::unique_ptr<StepLatency> inside_;
  EngineTerms terms_;
  std::vector<double> s_per_token_;  // by stage
  std::vector<double> latency_s_;
};

}  // namespace

std::unique_ptr<StepLatency> make_across_nodes(std::unique_ptr<StepLatency> inside,
                                               const TensorsAcrossNodes& across) {
  return std::make_unique<TensorsOverNodes>(std::move(inside), across);
}

}  // namespace servecast
