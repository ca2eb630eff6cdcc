#include "models/hw/parallel/wide_experts.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "models/base/counts.h"
#include "models/hw/latency/kernel_time.h"
#include "models/hw/latency/pipeline_stage.h"
#include "models/hw/parallel/ranks.h"
#include "models/hw/parallel/tensor_collectives.h"

namespace servecast {
namespace {

constexpr double sms = 132;
constexpr double exchange_sms = 20;

/// The kernels of one rank: its share of the batch, and of all routed tokens.
std::unique_ptr<StepLatency> rank_kernels(const WideExpertsInputs& inputs) {
  ProfileInputs in = inputs.kernels;
  in.max_step_tokens = divided_up(in.max_step_tokens, in.shape.ranks());
  in.max_sequences = divided_up(in.max_sequences, in.shape.ranks());
  in.terms = without_host(in.terms);
  if (inputs.exchange == ExchangeKernels::low_latency) in.exchange_kernels = "wide_decode";
  if (inputs.exchange == ExchangeKernels::high_throughput) in.exchange_kernels = "wide_prefill";
  if (in.shape.tensor_parallel == 1) return make_profile_latency(std::move(in));
  return make_tensor_collectives(make_profile_latency(in),
                                 {.llm = in.llm, .shape = in.shape, .link = inputs.link, .terms = in.terms});
}

class WideExperts final : public StepLatency {
 public:
  explicit WideExperts(const WideExpertsInputs& in);

  std::int64_t stages() const override { return static_cast<std::int64_t>(stages_.size()); }
  StageTime stage(const StepWork& work, std::int64_t stage) const override;
  StepSends sends(const StepWork& work, std::int64_t stage) const override;
  double chunk_s(std::int64_t tokens, std::int64_t prefix_tokens) const override {
    return rank_->chunk_s(tokens, prefix_tokens);
  }

 private:
  /// One of the equal batches of the fullest rank's step, all layers of a stage together.
  struct Batch {
    std::int64_t count = 1;
    StepWork share{};
    StageTime compute{};
    double hiding_s = 0;  // of the arithmetic, what can hide an exchange
    ExchangeTime exchange{};
  };
  Batch batch(const StepWork& work, std::int64_t stage) const;
  ExchangeTime exchange(const PipelineStage& stage, std::int64_t rank_tokens) const;

  std::unique_ptr<StepLatency> rank_;
  EngineTerms terms_;
  std::int64_t ranks_;
  std::vector<PipelineStage> stages_;
  double slowdown_;  // of arithmetic beside an exchange
  bool overlap_;
  bool gathers_;  // all tokens to all GPUs, so that it counts how many there are and not what the fullest rank has
  std::vector<ExchangeTime> exchange_by_tokens_{};  // of a rank, in one layer
};

WideExperts::WideExperts(const WideExpertsInputs& in)
    : rank_(rank_kernels(in)),
      terms_(in.kernels.terms),
      ranks_(in.kernels.shape.ranks()),
      stages_(pipeline_stages(in.kernels.llm, in.kernels.shape)),
      slowdown_(in.exchange == ExchangeKernels::high_throughput ? sms / (sms - exchange_sms) : 1),
      overlap_(in.two_batch_overlap),
      gathers_(in.exchange == ExchangeKernels::all_gather) {
  const Shape& shape = in.kernels.shape;
  const ExpertExchange exchange(in.kernels.llm, *in.kernels.profile, shape, in.link,
                                {.kernels = in.exchange, .experts = in.kernels.weights.experts});
  const std::int64_t most = divided_up(in.kernels.max_step_tokens, ranks_);
  for (std::int64_t tokens = 0; tokens <= most; ++tokens)
    exchange_by_tokens_.push_back(
        exchange(divided_up(tokens, shape.tensor_parallel), in.kernels.rank_loads.at(tokens * ranks_)));
}

ExchangeTime WideExperts::exchange(const PipelineStage& stage, std::int64_t rank_tokens) const {
  const auto last = static_cast<std::int64_t>(exchange_by_tokens_.size()) - 1;
  const ExchangeTime& layer = exchange_by_tokens_[static_cast<std::size_t>(std::min(rank_tokens, last))];
  const ExchangeTime time = stage.expert_layers() * layer;
  if (rank_tokens <= last) return time;
  return real(rank_tokens) / real(last) * time;  // ranks may be fuller than the mean
}

WideExperts::Batch WideExperts::batch(const StepWork& work, std::int64_t index) const {
  const PipelineStage& stage = stages_[static_cast<std::size_t>(index)];
  const bool splits = overlap_ && stage.expert_layers() > 0 && fullest_rank(work, ranks_, 1).tokens() > 1;
  Batch batch{.count = splits ? 2 : 1};
  batch.share = fullest_rank(work, ranks_, batch.count);
  batch.compute = rank_->stage(batch.share, index);
  batch.exchange = exchange(stage, gathers_ ? divided_up(batch.share.group_tokens, ranks_) : batch.share.tokens());
  if (splits) batch.hiding_s = batch.compute.seconds * (stage.expert_layers() / stage.layers()) * slowdown_;
  return batch;
}

StageTime WideExperts::stage(const StepWork& work, std::int64_t index) const {
  const PipelineStage& stage = stages_[static_cast<std::size_t>(index)];
  const Batch p = batch(work, index);
  StageTime sum = real(p.count) * p.compute;
  if (p.count == 1) {
    sum.seconds += p.exchange.seconds;
  } else {
    sum.seconds *= 1 - stage.expert_layers() / stage.layers();
    sum.seconds += 2 * std::max(p.hiding_s, p.exchange.seconds);
    sum.seconds += std::min(p.hiding_s, p.exchange.seconds) / stage.expert_layers();
  }
  if (!stage.first) return sum;
  const double gpu_s = sum.seconds;
  sum.seconds = with_host_s(terms_, gpu_s, divided_up(work.decode_sequences + work.prefill_sequences, ranks_));
  sum.host_s = sum.seconds - gpu_s;
  return sum;
}

/// An exchange goes inside nodes and between them at the same time, so the shorter part may take as long as the
/// other.
StepSends WideExperts::sends(const StepWork& work, std::int64_t stage) const {
  const Batch p = batch(work, stage);
  const double n = real(p.count);
  const double slack_s = p.count == 1 ? 0 : 2 * std::max(0.0, p.hiding_s - p.exchange.seconds);
  const double longer_s = p.exchange.across_nodes_s - p.exchange.inside_node_s;
  const StepSends ranks = rank_->sends(p.share, stage);
  return {.inside_node = {.seconds = n * (p.exchange.inside_node_s + ranks.inside_node.seconds),
                          .slack_s = slack_s + n * std::max(0.0, longer_s),
                          .after_s = n * ranks.inside_node.after_s},
          .across_nodes = {.seconds = n * (p.exchange.across_nodes_s + ranks.across_nodes.seconds),
                           .slack_s = slack_s + n * std::max(0.0, -longer_s)}};
}

}  // namespace

std::unique_ptr<StepLatency> make_wide_experts(const WideExpertsInputs& inputs) {
  return std::make_unique<WideExperts>(inputs);
}

}  // namespace servecast
