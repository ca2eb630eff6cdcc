#include "models/hw/wide_experts.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "models/base/counts.h"
#include "models/hw/kernel_time.h"
#include "models/hw/ranks.h"

namespace servecast {
namespace {

constexpr double sms = 132;
constexpr double exchange_sms = 20;

/// The kernels of one rank: its share of the batch, and of all routed tokens.
std::unique_ptr<StepLatency> rank_kernels(ProfileInputs in) {
  in.max_step_tokens = divided_up(in.max_step_tokens, in.shape.ranks());
  in.max_sequences = divided_up(in.max_sequences, in.shape.ranks());
  in.terms = without_host(in.terms);
  return make_profile_latency(std::move(in));
}

class WideExperts final : public StepLatency {
 public:
  explicit WideExperts(const WideExpertsInputs& in);

  std::int64_t stages() const override { return 1; }
  StageTime stage(const StepWork& work, std::int64_t stage) const override;
  AcrossNodes across_nodes(const StepWork& work, std::int64_t stage) const override;
  double chunk_s(std::int64_t tokens, std::int64_t prefix_tokens) const override {
    return rank_->chunk_s(tokens, prefix_tokens);
  }

 private:
  /// One of the equal batches of the fullest rank's step, all layers together.
  struct Batch {
    std::int64_t count = 1;
    StageTime compute{};
    double hiding_s = 0;  // of the arithmetic, what can hide an exchange
    ExchangeTime exchange{};
  };
  Batch batch(const StepWork& work) const;
  ExchangeTime exchange(std::int64_t rank_tokens) const;

  std::unique_ptr<StepLatency> rank_;
  EngineTerms terms_;
  std::int64_t ranks_;
  double expert_layers_;
  double expert_fraction_;  // of all layers
  double slowdown_;         // of arithmetic beside an exchange
  bool overlap_;
  std::vector<ExchangeTime> exchange_by_tokens_{};  // of a rank, in all layers
};

WideExperts::WideExperts(const WideExpertsInputs& in)
    : rank_(rank_kernels(in.kernels)),
      terms_(in.kernels.terms),
      ranks_(in.kernels.shape.ranks()),
      expert_layers_(real(in.kernels.llm.expert_layers())),
      expert_fraction_(expert_layers_ / real(in.kernels.llm.layers)),
      slowdown_(in.exchange == ExchangeKernels::high_throughput ? sms / (sms - exchange_sms) : 1),
      overlap_(in.two_batch_overlap) {
  const ExpertExchange exchange(in.kernels.llm, *in.kernels.profile, in.kernels.shape, in.link, in.exchange);
  const std::int64_t most = divided_up(in.kernels.max_step_tokens, ranks_);
  for (std::int64_t tokens = 0; tokens <= most; ++tokens) {
    const ExchangeTime layer = exchange(tokens, in.kernels.rank_loads.at(tokens * ranks_));
    exchange_by_tokens_.push_back(
        {.seconds = expert_layers_ * layer.seconds, .across_nodes_s = expert_layers_ * layer.across_nodes_s});
  }
}

ExchangeTime WideExperts::exchange(std::int64_t rank_tokens) const {
  const auto last = static_cast<std::int64_t>(exchange_by_tokens_.size()) - 1;
  ExchangeTime time = exchange_by_tokens_[static_cast<std::size_t>(std::min(rank_tokens, last))];
  if (rank_tokens <= last) return time;
  const double more = real(rank_tokens) / real(last);  // ranks may be fuller than the mean
  return {.seconds = more * time.seconds, .across_nodes_s = more * time.across_nodes_s};
}

WideExperts::Batch WideExperts::batch(const StepWork& work) const {
  const std::int64_t count = overlap_ && expert_layers_ > 0 && fullest_rank(work, ranks_, 1).tokens() > 1 ? 2 : 1;
  const StepWork share = fullest_rank(work, ranks_, count);
  Batch batch{.count = count, .compute = rank_->stage(share, 0), .exchange = exchange(share.tokens())};
  if (count > 1) batch.hiding_s = batch.compute.seconds * expert_fraction_ * slowdown_;
  return batch;
}

StageTime WideExperts::stage(const StepWork& work, std::int64_t) const {
  const Batch p = batch(work);
  StageTime sum = real(p.count) * p.compute;
  if (p.count == 1) {
    sum.seconds += p.exchange.seconds;
  } else {
    sum.seconds *= 1 - expert_fraction_;
    sum.seconds += 2 * std::max(p.hiding_s, p.exchange.seconds);
    sum.seconds += std::min(p.hiding_s, p.exchange.seconds) / expert_layers_;
  }
  const double gpu_s = sum.seconds;
  sum.seconds = with_host_s(terms_, gpu_s, divided_up(work.decode_sequences + work.prefill_sequences, ranks_));
  sum.host_s = sum.seconds - gpu_s;
  return sum;
}

AcrossNodes WideExperts::across_nodes(const StepWork& work, std::int64_t) const {
  const Batch p = batch(work);
  const double slack_s = p.count == 1 ? 0 : 2 * std::max(0.0, p.hiding_s - p.exchange.seconds);
  return {.seconds = real(p.count) * p.exchange.across_nodes_s, .slack_s = slack_s};
}

}  // namespace

std::unique_ptr<StepLatency> make_wide_experts(const WideExpertsInputs& inputs) {
  return std::make_unique<WideExperts>(inputs);
}

}  // namespace servecast
