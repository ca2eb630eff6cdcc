#pragma once
#include <cstdint>
#include <vector>

#include "models/hw/profile/kernel_times.h"
#include "models/hw/profile_latency.h"

namespace servecast {

/// Attention of one layer on one GPU, asked of a profile once and kept as tables: decoding over sequences and mean
/// context, prompts over query-key pairs (octave_table.h).
class ProfileAttention {
 public:
  /// `window` 0: attends to everything.
  ProfileAttention(const ProfileInputs& inputs, const KernelTimes& kernels, std::int64_t window);

  StageTime decode(std::int64_t sequences, double mean_context) const;
  /// Arithmetic of so many query-key pairs, at the rate of long prompts: what checking drafts takes at least.
  double check_s(double pairs) const { return check_s_per_pair_ * pairs; }
  /// A chunk beside other attention work: without the launch, which it shares.
  double chunk_s(std::int64_t tokens, std::int64_t prefix) const;
  /// Whether a prompt with so many pairs is outside the measured ones.
  bool prompt_extrapolated(double pairs) const;

 private:
  double pairs(std::int64_t tokens, std::int64_t prefix) const;
  void tabulate_decodes(const ProfileInputs& inputs, const KernelTimes& kernels);
  void tabulate_prompts(const ProfileInputs& inputs, const KernelTimes& kernels);

  std::int64_t window_;
  double check_s_per_pair_ = 0;
  std::size_t contexts_ = 0;
  std::vector<double> decode_s_;  // [sequences][context]
  std::vector<bool> decode_extrapolated_;
  std::vector<double> prompt_s_;  // by pairs, launch taken off
  std::vector<bool> prompt_extrapolated_;
};

/// Launch that chunks share with the decodes of a step, from the served steps that the engine terms were fitted on.
inline constexpr double shared_launch_s = 8e-6;

}  // namespace servecast
