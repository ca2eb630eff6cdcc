#pragma once
#include <cstdint>
#include <string_view>
#include <vector>

#include "models/hw/llm/llm.h"
#include "models/hw/profile/kernel_times.h"
#include "models/hw/profile/profile_latency.h"

namespace servecast {

/// Least time of a kernel that is neither a product nor attention: the engine's term, but no less than an empty
/// kernel takes in a CUDA graph, or one after the other where the engine has no graphs, as far as the profile has
/// timed that. A layer has some ten such starts; that many are asked for, so that the graph's own start is shared as
/// there.
double least_kernel_s(const EngineTerms& terms, const KernelTimes& kernels);

/// Kernels of one layer beside its products, attention and collectives: two norms, rotary embedding, cache write,
/// activation and a copy; with query-key norms 2 more. Each takes least_kernel_s() and its bytes
/// (elementwise_bytes_per_token()) at the profile's one rate. Norms with residuals, rotary embedding and activation
/// take what was timed of them instead, where the profile has rows of these kernels.
class SmallKernels {
 public:
  /// The inputs must outlive it.
  SmallKernels(const ProfileInputs& inputs, const LayerKind& kind);

  double seconds(std::int64_t rows) const;

 private:
  /// A kernel that may have been timed.
  struct Known {
    std::string_view mode;
    std::int64_t calls = 1;
    double counted_bytes = 0;  // per row and call, of those of elementwise_bytes_per_token()
    double moved_bytes = 0;    // as its rows count them
  };
  static std::vector<Known> known(const ProfileInputs& inputs, const LayerKind& kind);

  const KernelTimes& kernels_;
  double least_s_;
  std::vector<Known> timed_{};
  std::int64_t others_;  // kernels that were not timed
  double bytes_;         // of these, per row
};

/// Choosing tokens from logits in fp32, which every GPU of a tensor-parallel group does: the likeliest, or one of 50
/// where the engine has no term of its own (EngineTerms::sampler_s_per_logit). 0 where the profile has not timed
/// that; drawing from all words is not timed.
double timed_sampling_s(const ProfileInputs& inputs, std::int64_t emitted);

}  // namespace servecast
