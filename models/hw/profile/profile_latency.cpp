#include "models/hw/profile/profile_latency.h"

#include <algorithm>
#include <array>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "models/base/counts.h"
#include "models/hw/latency/memo.h"
#include "models/hw/profile/layer/profile_layer.h"
#include "models/hw/profile/layer/small_kernels.h"
#include "models/hw/profile/profile_attention.h"
#include "models/hw/roofline/derived_attention.h"

namespace servecast {
namespace {

/// A step is two look-ups, the decodes' attention and one sum. What each takes is asked of the profile when a step
/// first has so many tokens, and remembered: most runs see few of the numbers that they may have. For one thread.
class ProfileLatency final : public StepLatency {
 public:
  ProfileLatency(ProfileInputs inputs, std::unique_ptr<const KernelTimes> own);

  std::int64_t stages() const override { return static_cast<std::int64_t>(stages_.size()); }
  StageTime stage(const StepWork& work, std::int64_t stage) const override;
  double chunk_s(std::int64_t tokens, std::int64_t prefix_tokens) const override;

 private:
  void add_attention(Attention attention);
  double of_model(Attention attention) const { return layers_[static_cast<std::size_t>(attention)]; }
  void ask_bodies(std::int64_t tokens) const;
  const StageTime& head(std::int64_t emitted) const;
  const StageTime& routed_experts(std::int64_t group_tokens) const;
  void even_out(StageTime& sum, const PipelineStage& stage, const StepWork& work) const;
  StageTime attention(const PipelineStage& stage, const StepWork& work) const;
  void add_decodes(StageTime& sum, const PipelineStage& stage, const StepWork& work) const;
  StageTime decodes(Attention kind, const StepWork& work) const;
  double longest_s(const PipelineStage& stage, const StepWork& work) const;
  bool in_tiles(const StepWork& work) const {
    return any_attention_ != nullptr && any_attention_->tiled() &&
           (work.prefill_sequences > 0 || work.draft_tokens > 0);
  }
  StageTime prompts(const PipelineStage& stage, const StepWork& work) const;
  void add_host(StageTime& sum, const StepWork& work) const;

  std::unique_ptr<const KernelTimes> own_;  // null: another model owns them
  ProfileInputs in_;
  std::array<std::optional<ProfileLayer>, LayerKind::count> kinds_{};  // those that the model has
  const ProfileLayer* any_layer_ = nullptr;
  const ProfileLayer* expert_layer_ = nullptr;
  HandOver hand_over_;
  std::array<double, attention_kinds> layers_{};  // of the model, by attention
  double sampler_s_per_token_;
  std::array<std::optional<ProfileAttention>, attention_kinds> kernels_{};  // where there are any
  const ProfileAttention* any_attention_ = nullptr;
  std::optional<DerivedAttention> derived_{};
  mutable std::vector<PipelineStage> stages_;
  mutable std::vector<bool> asked_;  // which of the stages' by_tokens are known
  Memo<StageTime> head_by_emitted_;
  mutable std::unordered_map<std::int64_t, StageTime> experts_by_tokens_{};
};

ProfileLatency::ProfileLatency(ProfileInputs inputs, std::unique_ptr<const KernelTimes> own)
    : own_(std::move(own)),
      in_(std::move(inputs)),
      hand_over_(in_.llm, in_.shape, in_.stage_link),
      sampler_s_per_token_(sampler_s_per_token(in_.terms, in_.llm, in_.gpu)),
      stages_(pipeline_stages(in_.llm, in_.shape)),
      asked_(static_cast<std::size_t>(in_.max_step_tokens) + 1),
      head_by_emitted_(static_cast<std::size_t>(in_.max_sequences) + 1) {
  for (std::int64_t layer = 0; layer < in_.llm.layers; ++layer) {
    const LayerKind kind = layer_kind(in_.llm, layer);
    std::optional<ProfileLayer>& model = kinds_[kind.index()];
    if (!model) any_layer_ = &model.emplace(in_, kind);
    if (kind.experts) expert_layer_ = &*model;
    const Attention attention = in_.llm.attention(layer);
    if (layers_[static_cast<std::size_t>(attention)]++ == 0) add_attention(attention);
  }
}

void ProfileLatency::add_attention(Attention attention) {
  if (attention == Attention::linear || attention == Attention::sparse) derived_.emplace(in_.gpu, in_.llm, in_.shape);
  if (attention == Attention::linear) return;
  any_attention_ = &kernels_[static_cast<std::size_t>(attention)].emplace(in_, attention_span(in_.llm, attention));
}

void ProfileLatency::ask_bodies(std::int64_t tokens) const {
  BodyTimes times{.all_reduce = any_layer_->all_reduce(tokens), .hand_over_s = hand_over_.seconds(tokens)};
  for (std::size_t i = 0; i < kinds_.size(); ++i)
    if (kinds_[i]) times.layer[i] = (*kinds_[i])(tokens);
  const auto row = static_cast<std::size_t>(tokens);
  for (PipelineStage& stage : stages_) {
    stage.by_tokens.resize(asked_.size());
    stage.by_tokens[row] = stage.body(times);
  }
  asked_[row] = true;
}

/// Its matrix is wider than the measured shapes and bound by memory alone, so that does not count as out of range.
/// What a profile has timed of choosing tokens comes with it.
const StageTime& ProfileLatency::head(std::int64_t emitted) const {
  const std::size_t row = std::min(static_cast<std::size_t>(emitted), head_by_emitted_.size() - 1);
  return head_by_emitted_.at(row, [&] {
    StageTime time = any_layer_->head(static_cast<std::int64_t>(row));
    time.extrapolated = false;
    time.seconds += timed_sampling_s(in_, static_cast<std::int64_t>(row));
    return time;
  });
}

const StageTime& ProfileLatency::routed_experts(std::int64_t group_tokens) const {
  const auto [entry, asked_first] = experts_by_tokens_.try_emplace(group_tokens);
  if (asked_first) entry->second = expert_layer_->routed_experts(group_tokens);
  return entry->second;
}

/// A body's experts have as many tokens of each rank as of the fullest; here they get those that there are.
void ProfileLatency::even_out(StageTime& sum, const PipelineStage& stage, const StepWork& work) const {
  const std::int64_t counted = work.tokens() * in_.shape.ranks();
  if (in_.shape.ranks() == 1 || work.group_tokens == 0 || work.group_tokens >= counted || !expert_layer_) return;
  const StageTime& as_counted = routed_experts(counted);
  const StageTime& there = routed_experts(work.group_tokens);
  sum.seconds -= stage.expert_layers() * (as_counted.seconds - there.seconds);
  sum.compute_s -= stage.expert_layers() * (as_counted.compute_s - there.compute_s);
}

double ProfileLatency::chunk_s(std::int64_t tokens, std::int64_t prefix_tokens) const {
  double sum = 0;
  for (std::size_t i = 0; i < kernels_.size(); ++i)
    if (kernels_[i]) sum += layers_[i] * kernels_[i]->chunk_s(tokens, prefix_tokens);
  if (const double linear = of_model(Attention::linear); linear > 0) sum += linear * derived_->linear_chunk_s(tokens);
  if (const double sparse = of_model(Attention::sparse); sparse > 0)
    sum += sparse * derived_->index_chunk_s(tokens * prefix_tokens + tokens * (tokens + 1) / 2);
  return sum;
}

/// The chunks' attention as they were added; for work that was summed up without, that of as many mean chunks.
StageTime ProfileLatency::prompts(const PipelineStage& stage, const StepWork& work) const {
  if (work.prefill_sequences == 0) return {};
  const std::int64_t n = work.prefill_sequences;
  double seconds = work.prefill_attention_s;
  if (seconds == 0) seconds = real(n) * chunk_s(work.prefill_tokens / n, work.prefill_prefix_tokens / n);
  seconds *= stage.layers() / real(in_.llm.layers);
  StageTime sum{.seconds = seconds, .compute_s = seconds};
  if (work.decode_sequences == 0) sum.seconds += stage.layers() * shared_launch_s;
  const double mean_pairs = real(work.prefill_pairs) / real(n);
  sum.extrapolated = derived_ || any_attention_->prompt_extrapolated(mean_pairs);
  return sum;
}

/// With drafts the keys are read once for all queries of a sequence, and the arithmetic is that of all queries; but
/// never more than decoding every query as a sequence of its own takes, which a kernel can do as well. Latent
/// attention is where that counts: its decodes are bound by arithmetic already, at a higher rate than its prompts
/// reach.
StageTime ProfileLatency::decodes(Attention kind, const StepWork& work) const {
  const ProfileAttention& attention = *kernels_[static_cast<std::size_t>(kind)];
  const double context = attention.context(work);
  StageTime time = attention.decode(work.decode_sequences, context);
  if (in_tiles(work)) {
    const double tiles_s = attention.decode_tiles_s(work.decode_sequences, context);
    if (tiles_s > time.seconds) time.seconds = time.compute_s = tiles_s;
  }
  if (work.draft_tokens == 0) return time;
  const std::int64_t queries = work.decode_sequences + work.draft_tokens;
  const double check_s =
      std::min(attention.check_s(context * real(queries)), attention.decode(queries, context).seconds);
  if (check_s > time.seconds) time.seconds = time.compute_s = check_s;
  return time;
}

/// What the longest of a step's contexts takes alone, where they are not split.
double ProfileLatency::longest_s(const PipelineStage& stage, const StepWork& work) const {
  double sum_s = 0;
  for (std::size_t i = 0; i < kernels_.size(); ++i)
    if (kernels_[i]) sum_s += stage.by_attention[i] * kernels_[i]->longest_s(work);
  return sum_s;
}

StageTime ProfileLatency::attention(const PipelineStage& stage, const StepWork& work) const {
  StageTime sum = prompts(stage, work);
  if (work.decode_sequences > 0) add_decodes(sum, stage, work);
  if (in_tiles(work)) sum.seconds = std::max(sum.seconds, longest_s(stage, work));
  return sum;
}

void ProfileLatency::add_decodes(StageTime& sum, const PipelineStage& stage, const StepWork& work) const {
  for (std::size_t i = 0; i < kernels_.size(); ++i)
    if (kernels_[i] && stage.by_attention[i] > 0)
      sum += stage.by_attention[i] * decodes(static_cast<Attention>(i), work);
  if (const double linear = stage.attending(Attention::linear); linear > 0)
    sum += linear * derived_->linear_decodes(work.decode_sequences);
  if (const double sparse = stage.attending(Attention::sparse); sparse > 0)
    sum += sparse * derived_->index_decodes(work.decode_kv_tokens, work.decode_sequences);
}

void ProfileLatency::add_host(StageTime& sum, const StepWork& work) const {
  const double gpu_s = sum.seconds;
  sum.seconds = with_host_s(in_.terms, gpu_s, work.decode_sequences + work.prefill_sequences);
  sum.host_s = sum.seconds - gpu_s;
}

StageTime ProfileLatency::stage(const StepWork& work, std::int64_t index) const {
  const PipelineStage& stage = stages_[static_cast<std::size_t>(index)];
  const std::int64_t last = in_.max_step_tokens;
  const std::int64_t known = std::min(work.tokens(), last);
  if (!asked_[static_cast<std::size_t>(known)]) ask_bodies(known);
  StageTime sum = stage.by_tokens[static_cast<std::size_t>(known)];
  if (work.tokens() > last) sum = real(work.tokens()) / real(last) * sum;
  even_out(sum, stage, work);
  sum += attention(stage, work);
  if (stage.last) {
    sum += head(work.emitted_tokens);
    sum.seconds += sampler_s_per_token_ * real(work.emitted_tokens);
  }
  if (stage.first) add_host(sum, work);
  return sum;
}

}  // namespace

std::unique_ptr<StepLatency> make_profile_latency(ProfileInputs inputs) {
  return std::make_unique<ProfileLatency>(std::move(inputs), nullptr);
}

std::unique_ptr<StepLatency> make_profile_latency(ProfileInputs inputs, const KernelProfile& profile) {
  auto own = std::make_unique<const KernelTimes>(profile);
  inputs.profile = own.get();
  return std::make_unique<ProfileLatency>(std::move(inputs), std::move(own));
}

}  // namespace servecast
