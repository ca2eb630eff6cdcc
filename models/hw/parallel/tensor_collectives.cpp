#include "models/hw/parallel/tensor_collectives.h"

#include <algorithm>
#include <bit>
#include <utility>
#include <vector>

#include "models/base/counts.h"
#include "models/hw/latency/pipeline_stage.h"
#include "models/hw/llm/data_type.h"

namespace servecast {
namespace {

/// What an all-reduce of one byte sends from each of so many that take part.
double sent_share(std::int64_t parts) { return 2 * (1 - 1 / real(parts)); }

class TensorCollectives final : public StepLatency {
 public:
  TensorCollectives(std::unique_ptr<StepLatency> inside, const TensorCollectivesInputs& in)
      : inside_(std::move(inside)), terms_(in.terms) {
    const std::int64_t gpus = std::min(in.shape.tensor_parallel, in.link.node_gpus);
    const std::int64_t nodes = in.shape.tensor_parallel / gpus;
    const double bytes = real(in.llm.hidden) * facts(DataType::bf16).bytes;
    const int rounds = std::bit_width(static_cast<std::uint64_t>(nodes - 1));  // ceil(log2 nodes)
    for (const PipelineStage& stage : pipeline_stages(in.llm, in.shape)) {
      const double gathers = in.shape.shares_out_tokens() ? stage.expert_layers() : 0;
      const double reduces = 2 * stage.layers() - gathers / 2 + (stage.first ? 1 : 0);  // and embeddings
      PerStage& per = per_stage_.emplace_back();
      if (gpus > 1) per.inside_s_per_token = reduces * sent_share(gpus) * bytes / in.link.inside_bytes_per_s;
      if (nodes == 1) continue;
      across_ = true;
      per.across_s_per_token = reduces * sent_share(nodes) * bytes / real(gpus) / in.link.bytes_per_s;
      per.across_latency_s = reduces * 2 * rounds * in.link.latency_s;
    }
  }

  std::int64_t stages() const override { return inside_->stages(); }
  double chunk_s(std::int64_t tokens, std::int64_t prefix_tokens) const override {
    return inside_->chunk_s(tokens, prefix_tokens);
  }
  StageTime stage(const StepWork& work, std::int64_t stage) const override {
    StageTime sum = inside_->stage(work, stage);
    if (!across_) return sum;
    const PerStage& per = of(stage);
    sum.seconds += per.across_latency_s + per.across_s(work);
    if (stage > 0) return sum;
    const double gpu_s = sum.seconds;
    sum.seconds = with_host_s(terms_, gpu_s, work.decode_sequences + work.prefill_sequences);
    sum.host_s = sum.seconds - gpu_s;
    return sum;
  }
  StepSends sends(const StepWork& work, std::int64_t stage) const override {
    const PerStage& per = of(stage);
    const double across_s = per.across_s(work);
    return {.inside_node = {.seconds = per.inside_s_per_token * real(work.tokens()), .after_s = across_s},
            .across_nodes = {.seconds = across_s}};
  }

 private:
  struct PerStage {
    double inside_s_per_token = 0;
    double across_s_per_token = 0;
    double across_latency_s = 0;
    double across_s(const StepWork& work) const { return across_s_per_token * real(work.tokens()); }
  };
  const PerStage& of(std::int64_t stage) const { return per_stage_[static_cast<std::size_t>(stage)]; }

  std::unique_ptr<StepLatency> inside_;
  EngineTerms terms_;
  std::vector<PerStage> per_stage_{};
  bool across_ = false;  // nodes
};

}  // namespace

std::unique_ptr<StepLatency> make_tensor_collectives(std::unique_ptr<StepLatency> inside,
                                                     const TensorCollectivesInputs& inputs) {
  return std::make_unique<TensorCollectives>(std::move(inside), inputs);
}

}  // namespace servecast
