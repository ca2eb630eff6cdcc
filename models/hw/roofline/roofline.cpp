#include "models/hw/roofline/roofline.h"

#include <array>
#include <map>
#include <optional>
#include <vector>

#include "models/base/counts.h"
#include "models/hw/roofline/attention_model.h"
#include "models/hw/roofline/derived_attention.h"
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
  /// What every step spends on so many tokens, attention and LM head apart.
  BodyTimes body(std::int64_t tokens) const;
  StageTime attention(const PipelineStage& stage, const StepWork& work) const;
  StageTime derived(const PipelineStage& stage, const StepWork& work) const;
  StageTime head(std::int64_t emitted) const;
  void tabulate(std::int64_t max_step_tokens, std::int64_t max_sequences);

  std::array<std::optional<LayerModel>, LayerKind::count> layers_{};  // those that the model has
  const LayerModel* any_layer_ = nullptr;
  AttentionModel attention_;
  DerivedAttention derived_;
  GemmFit head_fit_;
  GemmShape head_shape_;
  EngineTerms engine_;
  double sampler_s_per_token_;
  HandOver hand_over_;
  std::map<Attention, AttentionSpan> spans_;
  std::vector<PipelineStage> stages_;
  std::vector<StageTime> head_by_emitted_;
};

Roofline::Roofline(const RooflineInputs& in)
    : attention_(in),
      derived_(in.gpu, in.llm, in.shape),
      head_fit_(in.gpu.kernels->gemm.bf16.value()),
      head_shape_{.columns = in.llm.vocabulary / in.shape.tensor_parallel, .depth = in.llm.hidden},
      engine_(in.engine),
      sampler_s_per_token_(sampler_s_per_token(in.engine, in.llm, in.gpu)),
      hand_over_(in.llm, in.shape, in.stage_link),
      spans_(attention_spans(in.llm)),
      stages_(pipeline_stages(in.llm, in.shape)) {
  for (std::int64_t layer = 0; layer < in.llm.layers; ++layer) {
    const LayerKind kind = layer_kind(in.llm, layer);
    std::optional<LayerModel>& model = layers_[kind.index()];
    if (!model) any_layer_ = &model.emplace(in, kind);
  }
  tabulate(in.max_step_tokens, in.max_sequences);
}

BodyTimes Roofline::body(std::int64_t tokens) const {
  BodyTimes times{.all_reduce = any_layer_->all_reduce(tokens), .hand_over_s = hand_over_.seconds(tokens)};
  for (std::size_t i = 0; i < layers_.size(); ++i)
    if (layers_[i]) times.layer[i] = (*layers_[i])(tokens);
  return times;
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
    const BodyTimes times = body(tokens);
    for (PipelineStage& stage : stages_) stage.by_tokens.push_back(stage.body(times));
  }
}

StageTime Roofline::attention(const PipelineStage& stage, const StepWork& work) const {
  StageTime sum;
  for (const auto& [kind, span] : spans_)
    if (const double layers = stage.attending(kind); layers > 0) sum += layers * attention_(work, span);
  if (stage.attending(Attention::sparse) > 0 || stage.attending(Attention::linear) > 0) sum += derived(stage, work);
  return sum;
}

StageTime Roofline::derived(const PipelineStage& stage, const StepWork& work) const {
  const double linear = stage.attending(Attention::linear);
  const double sparse = stage.attending(Attention::sparse);
  StageTime sum{.extrapolated = true};
  if (work.decode_sequences > 0) {
    if (linear > 0) sum += linear * derived_.linear_decodes(work.decode_sequences);
    if (sparse > 0) sum += sparse * derived_.index_decodes(work.decode_kv_tokens, work.decode_sequences);
  }
  if (work.prefill_sequences > 0) {
    const double chunks = real(work.prefill_sequences);
    sum.seconds += linear * chunks * derived_.linear_chunk_s(work.prefill_tokens / work.prefill_sequences);
    if (sparse > 0) sum.seconds += sparse * derived_.index_chunk_s(work.prefill_pairs);
  }
  return sum;
}

StageTime Roofline::stage(const StepWork& work, std::int64_t index) const {
  const PipelineStage& stage = stages_[static_cast<std::size_t>(index)];
  const auto tokens = static_cast<std::size_t>(work.tokens());
  const auto emitted = static_cast<std::size_t>(work.emitted_tokens);
  StageTime sum = tokens < stage.by_tokens.size() ? stage.by_tokens[tokens] : stage.body(body(work.tokens()));
  sum += attention(stage, work);
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
