#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "models/hw/latency/kernel_time.h"
#include "models/hw/profile/kernel_times.h"
#include "models/hw/profile/layer/small_kernels.h"
#include "models/hw/profile/profile_latency.h"
#include "models/hw/roofline/layer_model.h"

namespace servecast {

/// What one transformer layer costs apart from attention, asked of a profile: a function of the step's tokens.
class ProfileLayer {
 public:
  /// The inputs must outlive it.
  ProfileLayer(const ProfileInputs& inputs, const LayerKind& kind);

  /// With several ranks, each has so many.
  StageTime operator()(std::int64_t tokens) const;
  /// Routed experts alone, of a layer that has some, where its ranks have so many tokens together.
  StageTime routed_experts(std::int64_t group_tokens) const;
  /// All-reduce of the hidden state of so many tokens, with the wait for the slowest rank; nothing on one GPU.
  StageTime all_reduce(std::int64_t tokens) const;
  StageTime all_reduce_alone(std::int64_t tokens) const;
  /// Product with bf16 weights over the vocabulary.
  StageTime head(std::int64_t emitted) const;

 private:
  std::int64_t padded(std::int64_t tokens) const;
  StageTime product(DataType weights, const GemmShape& shape, std::int64_t rows) const;
  StageTime products(const std::vector<Linear>& linears, std::int64_t rows) const;
  StageTime all_gather(std::int64_t tokens) const;
  StageTime with_known_scales(StageTime product, const GemmShape& shape, std::int64_t rows) const;
  StageTime experts(std::int64_t tokens) const;
  /// As timed, of a group of GPUs that each hold a slice of all experts, or some of them.
  StageTime sliced_experts(std::int64_t tokens) const;
  /// Of the fullest GPU, whose experts get more than their share.
  StageTime spread_experts(std::int64_t tokens) const;
  /// As measured, where that was under routing of its own; else less for the experts that are not touched.
  StageTime as_routed(MoeCall call, const KernelTime& measured, double touched_fraction) const;
  /// What a server takes for what was timed (EngineTerms::expert_compute_factor).
  StageTime as_served(StageTime timed) const;
  /// Where the profile has experts in bf16, but none of the weights' type.
  std::optional<StageTime> experts_like_bf16(MoeCall call) const;
  StageTime with_shared(StageTime routed, std::int64_t tokens, std::int64_t shared_rows) const;
  const GemmFit& expert_fit() const;
  /// By kernels that start before the one before ends, or are one.
  double hidden_s() const;
  bool norms_in_all_reduces() const;

  /// How an fp8 product gets the scales of its inputs (EngineTerms::input_scales).
  enum class InputScales : std::uint8_t { found_before, quantised, fused };
  static InputScales input_scales(const EngineTerms& terms);

  const ProfileInputs& in_;
  const KernelTimes& kernels_;
  InputScales input_scales_;
  bool expert_layer_;
  std::vector<Linear> linears_;     // over all tokens of the rank
  std::vector<Linear> shared_{};    // of shared experts, over these or each GPU's share of them
  std::vector<Linear> of_share_{};  // over each GPU's share of them
  SmallKernels small_;
};

}  // namespace servecast
