#include "models/hw/profile_latency.h"

#include <algorithm>
#include <cassert>
#include <optional>
#include <vector>

#include "models/hw/profile_attention.h"
#include "models/hw/profile_layer.h"

namespace servecast {
namespace {

double real(std::int64_t n) { return static_cast<double>(n); }

struct PipelineStage {
  double dense_layers = 0;
  double expert_layers = 0;
  double full_layers = 0;  // by attention: these and the windowed ones
  double windowed_layers = 0;
  bool first = false;
  bool last = false;
  std::vector<StageTime> by_tokens{};

  double layers() const { return dense_layers + expert_layers; }
};

PipelineStage make_stage(const Llm& llm, const Shape& shape, std::int64_t index) {
  const LayerRange range = stage_layers(llm.layers, shape.pipeline_parallel, index);
  PipelineStage stage{.first = index == 0, .last = index == shape.pipeline_parallel - 1};
  for (std::int64_t layer = range.first; layer < range.last; ++layer) {
    ++(llm.has_experts(layer) ? stage.expert_layers : stage.dense_layers);
    ++(llm.windowed(layer) ? stage.windowed_layers : stage.full_layers);
  }
  return stage;
}

/// Tables of everything are built once; a step is two look-ups, the decodes' attention and one sum.
class ProfileLatency final : public StepLatency {
 public:
  explicit ProfileLatency(const ProfileInputs& inputs);

  std::int64_t stages() const override { return static_cast<std::int64_t>(stages_.size()); }
  StageTime stage(const StepWork& work, std::int64_t stage) const override;
  double chunk_s(std::int64_t tokens, std::int64_t prefix_tokens) const override;

 private:
  void tabulate(const ProfileInputs& inputs, const KernelTimes& kernels);
  StageTime attention(const PipelineStage& stage, const StepWork& work) const;
  StageTime prompts(const PipelineStage& stage, const StepWork& work) const;
  void add_host(StageTime& sum, const StepWork& work) const;

  EngineTerms terms_;
  double layers_;
  double full_layers_ = 0;
  double windowed_layers_ = 0;
  double sampler_s_per_token_ = 0;
  std::optional<ProfileAttention> full_;
  std::optional<ProfileAttention> windowed_;
  std::vector<PipelineStage> stages_;
  std::vector<StageTime> head_by_emitted_;
};

ProfileLatency::ProfileLatency(const ProfileInputs& in) : terms_(in.terms), layers_(real(in.llm.layers)) {
  assert(in.shape.pipeline_parallel == 1 || in.stage_link.bytes_per_s > 0);
  const KernelTimes kernels(in.profile);
  for (std::int64_t i = 0; i < in.shape.pipeline_parallel; ++i) {
    stages_.push_back(make_stage(in.llm, in.shape, i));
    full_layers_ += stages_.back().full_layers;
    windowed_layers_ += stages_.back().windowed_layers;
  }
  if (full_layers_ > 0) full_.emplace(in, kernels, 0);
  if (windowed_layers_ > 0) windowed_.emplace(in, kernels, in.llm.sliding_window);
  sampler_s_per_token_ = sampler_s_per_token(in.terms, in.llm, in.gpu);
  tabulate(in, kernels);
}

/// Between stages: hidden state and residual, in bf16, each GPU sending its share of the group.
void ProfileLatency::tabulate(const ProfileInputs& in, const KernelTimes& kernels) {
  const ProfileLayer dense(in, kernels, false);
  std::optional<ProfileLayer> expert;
  if (in.llm.experts) expert.emplace(in, kernels, true);
  const double handed_on_bytes =
      2 * real(in.llm.hidden) * facts(DataType::bf16).bytes / real(in.shape.tensor_parallel);
  for (std::int64_t tokens = 0; tokens <= in.max_step_tokens; ++tokens) {
    const StageTime dense_s = dense(tokens);
    const StageTime expert_s = expert ? (*expert)(tokens) : StageTime{};
    for (PipelineStage& stage : stages_) {
      StageTime sum;
      if (stage.dense_layers > 0) sum += stage.dense_layers * dense_s;
      if (stage.expert_layers > 0) sum += stage.expert_layers * expert_s;
      if (stage.first) sum += dense.all_reduce(tokens);  // of the embeddings, which are split by vocabulary
      if (!stage.last)
        sum.seconds += in.stage_link.latency_s + real(tokens) * handed_on_bytes / in.stage_link.bytes_per_s;
      stage.by_tokens.push_back(sum);
    }
  }
  // Its matrix is wider than the measured shapes and bound by memory alone, so that does not count as out of range.
  for (std::int64_t n = 0; n <= in.max_sequences; ++n) {
    head_by_emitted_.push_back(dense.head(n));
    head_by_emitted_.back().extrapolated = false;
  }
}

double ProfileLatency::chunk_s(std::int64_t tokens, std::int64_t prefix_tokens) const {
  double sum = 0;
  if (full_) sum += full_layers_ * full_->chunk_s(tokens, prefix_tokens);
  if (windowed_) sum += windowed_layers_ * windowed_->chunk_s(tokens, prefix_tokens);
  return sum;
}

/// The chunks' attention as they were added; for work that was summed up without, that of as many mean chunks.
StageTime ProfileLatency::prompts(const PipelineStage& stage, const StepWork& work) const {
  if (work.prefill_sequences == 0) return {};
  const std::int64_t n = work.prefill_sequences;
  double seconds = work.prefill_attention_s;
  if (seconds == 0) seconds = real(n) * chunk_s(work.prefill_tokens / n, work.prefill_prefix_tokens / n);
  seconds *= stage.layers() / layers_;
  StageTime sum{.seconds = seconds, .compute_s = seconds};
  if (work.decode_sequences == 0) sum.seconds += stage.layers() * shared_launch_s;
  const double mean_pairs = real(work.prefill_pairs) / real(n);
  sum.extrapolated = (full_ ? *full_ : *windowed_).prompt_extrapolated(mean_pairs);
  return sum;
}

StageTime ProfileLatency::attention(const PipelineStage& stage, const StepWork& work) const {
  StageTime sum = prompts(stage, work);
  if (work.decode_sequences == 0) return sum;
  const double context = real(work.decode_kv_tokens) / real(work.decode_sequences);
  if (stage.full_layers > 0) sum += stage.full_layers * full_->decode(work.decode_sequences, context);
  if (stage.windowed_layers > 0) sum += stage.windowed_layers * windowed_->decode(work.decode_sequences, context);
  return sum;
}

void ProfileLatency::add_host(StageTime& sum, const StepWork& work) const {
  sum.seconds = with_host_s(terms_, sum.seconds, work.decode_sequences + work.prefill_sequences);
}

StageTime ProfileLatency::stage(const StepWork& work, std::int64_t index) const {
  const PipelineStage& stage = stages_[static_cast<std::size_t>(index)];
  const auto last = static_cast<std::int64_t>(stage.by_tokens.size()) - 1;
  StageTime sum = stage.by_tokens[static_cast<std::size_t>(std::min(work.tokens(), last))];
  if (work.tokens() > last) sum = real(work.tokens()) / real(last) * sum;
  sum += attention(stage, work);
  if (stage.last) {
    const auto most = static_cast<std::int64_t>(head_by_emitted_.size()) - 1;
    sum += head_by_emitted_[static_cast<std::size_t>(std::min(work.emitted_tokens, most))];
    sum.seconds += sampler_s_per_token_ * real(work.emitted_tokens);
  }
  if (stage.first) add_host(sum, work);
  return sum;
}

}  // namespace

std::unique_ptr<StepLatency> make_profile_latency(const ProfileInputs& inputs) {
  return std::make_unique<ProfileLatency>(inputs);
}

}  // namespace servecast
