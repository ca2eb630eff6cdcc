#include "models/hw/roofline/roofline.h"

#include <optional>
#include <vector>

#include "models/base/counts.h"
#include "models/hw/roofline/attention_model.h"
#include "models/hw/roofline/layer_model.h"

namespace servecast {
namespace {

/// What a step costs apart from attention is a function of its tokens, and of the sequences that emit: both are
/// tabulated once per stage, so that a step costs two look-ups and the attention.
class Roofline final : public StepLatency {
 public:
  explicit Roofline(const RooflineInputs& in);

  std::int64_t stages() const override { return static_cast<std::int64_t>(stages_.size()); }
  StageTime stage(const StepWork& work, std::int64_t stage) const override;

 private:
  /// Everything but attention and LM head, where one dense and one expert layer take this long.
  StageTime body(const PipelineStage& stage, std::int64_t tokens, const StageTime& dense,
                 const StageTime& expert) const;
  StageTime body(const PipelineStage& stage, std::int64_t tokens) const;
  StageTime head(std::int64_t emitted) const;
  void tabulate(std::int64_t max_step_tokens, std::int64_t max_sequences);

  LayerModel dense_layer_;
  std::optional<LayerModel> expert_layer_;
  AttentionModel attention_;
  GemmFit head_fit_;
  GemmShape head_shape_;
  EngineTerms engine_;
  double sampler_s_per_token_;
  HandOver hand_over_;
  std::int64_t window_;
  std::vector<PipelineStage> stages_;
  std::vector<StageTime> head_by_emitted_;
};

Roofline::Roofline(const RooflineInputs& in)
    : dense_layer_(in, false),
      attention_(in),
      head_fit_(in.gpu.kernels->gemm.bf16.value()),
      head_shape_{.columns = in.llm.vocabulary / in.shape.tensor_parallel, .depth = in.llm.hidden},
      engine_(in.engine),
      sampler_s_per_token_(sampler_s_per_token(in.engine, in.llm, in.gpu)),
      hand_over_(in.llm, in.shape, in.stage_link),
      window_(in.llm.sliding_window),
      stages_(pipeline_stages(in.llm, in.shape)) {
  if (in.llm.experts) expert_layer_.emplace(in, true);
  tabulate(in.max_step_tokens, in.max_sequences);
}

StageTime Roofline::body(const PipelineStage& stage, std::int64_t tokens, const StageTime& dense,
                         const StageTime& expert) const {
  return stage.body({.dense = dense,
                     .expert = expert,
                     .all_reduce = dense_layer_.all_reduce(tokens),
                     .hand_over_s = hand_over_.seconds(tokens)});
}

StageTime Roofline::body(const PipelineStage& stage, std::int64_t tokens) const {
  return body(stage, tokens, dense_layer_(tokens), expert_layer_ ? (*expert_layer_)(tokens) : StageTime{});
}

/// Its matrix is wider than the fitted shapes and bound by memory alone, so that does not count as out of range.
StageTime Roofline::head(std::int64_t emitted) const {
  StageTime time = gemm_time(head_fit_, DataType::bf16, head_shape_, emitted);
  time.seconds += sampler_s_per_token_ * real(emitted);
  time.extrapolated = false;
  return time;
}

void Roofline::tabulate(std::int64_t max_step_tokens, std::int64_t max_sequences) {
  for (std::int64_t n = 0; n <= max_sequences; ++n) head_by_emitted_.push_back(head(n));
  for (PipelineStage& stage : stages_) stage.by_tokens.reserve(static_cast<std::size_t>(max_step_tokens) + 1);
  for (std::int64_t tokens = 0; tokens <= max_step_tokens; ++tokens) {
    const StageTime dense = dense_layer_(tokens);
    const StageTime expert = expert_layer_ ? (*expert_layer_)(tokens) : StageTime{};
    for (PipelineStage& stage : stages_) stage.by_tokens.push_back(body(stage, tokens, dense, expert));
  }
}

StageTime Roofline::stage(const StepWork& work, std::int64_t index) const {
  const PipelineStage& stage = stages_[static_cast<std::size_t>(index)];
  const auto tokens = static_cast<std::size_t>(work.tokens());
  const auto emitted = static_cast<std::size_t>(work.emitted_tokens);
  StageTime sum = tokens < stage.by_tokens.size() ? stage.by_tokens[tokens] : body(stage, work.tokens());
  if (stage.full_layers > 0) sum += stage.full_layers * attention_(work, 0);
  if (stage.windowed_layers > 0) sum += stage.windowed_layers * attention_(work, window_);
  if (stage.last) sum += emitted < head_by_emitted_.size() ? head_by_emitted_[emitted] : head(work.emitted_tokens);
  if (stage.first) {
    const double gpu_s = sum.seconds;
    sum.seconds = with_host_s(engine_, gpu_s, work.decode_sequences + work.prefill_sequences);
    sum.host_s = sum.seconds - gpu_s;
  }
  return sum;
}

}  // namespace

std::unique_ptr<StepLatency> make_roofline(const RooflineInputs& inputs) {
  return std::make_unique<Roofline>(inputs);
}

}  // namespace servecast
