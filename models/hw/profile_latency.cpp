#include "models/hw/profile_latency.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "models/hw/profile_attention.h"
#include "models/hw/profile_layer.h"

namespace servecast {
namespace {

double real(std::int64_t n) { return static_cast<double>(n); }

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
  StageTime decodes(const ProfileAttention& attention, const StepWork& work) const;
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

ProfileLatency::ProfileLatency(const ProfileInputs& in)
    : terms_(in.terms), layers_(real(in.llm.layers)), stages_(pipeline_stages(in.llm, in.shape)) {
  const KernelTimes kernels(in.profile);
  for (const PipelineStage& stage : stages_) {
    full_layers_ += stage.full_layers;
    windowed_layers_ += stage.windowed_layers;
  }
  if (full_layers_ > 0) full_.emplace(in, kernels, 0);
  if (windowed_layers_ > 0) windowed_.emplace(in, kernels, in.llm.sliding_window);
  sampler_s_per_token_ = sampler_s_per_token(in.terms, in.llm, in.gpu);
  tabulate(in, kernels);
}

void ProfileLatency::tabulate(const ProfileInputs& in, const KernelTimes& kernels) {
  const ProfileLayer dense(in, kernels, false);
  std::optional<ProfileLayer> expert;
  if (in.llm.experts) expert.emplace(in, kernels, true);
  const HandOver hand_over(in.llm, in.shape, in.stage_link);
  for (std::int64_t tokens = 0; tokens <= in.max_step_tokens; ++tokens) {
    const BodyTimes times{.dense = dense(tokens),
                          .expert = expert ? (*expert)(tokens) : StageTime{},
                          .all_reduce = dense.all_reduce(tokens),
                          .hand_over_s = hand_over.seconds(tokens)};
    for (PipelineStage& stage : stages_) stage.by_tokens.push_back(stage.body(times));
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

/// With drafts the keys are read once for all queries of a sequence, and the arithmetic is that of all of them.
StageTime ProfileLatency::decodes(const ProfileAttention& attention, const StepWork& work) const {
  const double context = real(work.decode_kv_tokens) / real(work.decode_sequences);
  StageTime time = attention.decode(work.decode_sequences, context);
  if (work.draft_tokens == 0) return time;
  const double check_s = attention.check_s(context * real(work.decode_sequences + work.draft_tokens));
  if (check_s > time.seconds) time.seconds = time.compute_s = check_s;
  return time;
}

StageTime ProfileLatency::attention(const PipelineStage& stage, const StepWork& work) const {
  StageTime sum = prompts(stage, work);
  if (work.decode_sequences == 0) return sum;
  if (stage.full_layers > 0) sum += stage.full_layers * decodes(*full_, work);
  if (stage.windowed_layers > 0) sum += stage.windowed_layers * decodes(*windowed_, work);
  return sum;
}

void ProfileLatency::add_host(StageTime& sum, const StepWork& work) const {
  const double gpu_s = sum.seconds;
  sum.seconds = with_host_s(terms_, gpu_s, work.decode_sequences + work.prefill_sequences);
  sum.host_s = sum.seconds - gpu_s;
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
