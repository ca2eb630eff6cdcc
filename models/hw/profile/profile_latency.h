#pragma once
#include <memory>
#include <string_view>

#include "models/hw/latency/engine_terms.h"
#include "models/hw/latency/rank_loads.h"
#include "models/hw/latency/step_latency.h"
#include "models/hw/llm/llm.h"
#include "models/hw/llm/shape.h"
#include "models/hw/machine/gpu.h"
#include "models/hw/profile/kernel_profile.h"
#include "models/hw/profile/kernel_times.h"
#include "models/hw/roofline/roofline.h"

namespace servecast {

struct ProfileInputs {
  Gpu gpu{};                             // stands in, marked extrapolated, for products that the profile lacks
  const KernelTimes* profile = nullptr;  // outlives the step time; one serves all that are timed by it
  Llm llm{};
  WeightTypes weights{};
  DataType kv = DataType::bf16;
  Shape shape{};
  std::int64_t max_step_tokens = 2048;  // larger steps are answered too, as the largest times their tokens
  std::int64_t max_sequences = 256;
  StageLink stage_link{};            // needed with pipeline_parallel above 1
  std::int64_t node_gpus = 1 << 20;  // of a tensor-parallel group, at most so many share a node
  EngineTerms terms{};
  RankLoads rank_loads{};               // with shape.expert_parallel above 1
  std::string_view exchange_kernels{};  // with several ranks: the routing of experts behind DeepEP's kernels
  std::string moe_backend = "auto";     // of experts; auto: whichever is fastest
};

/// Step time from a kernel profile. With T tokens, run as T* rows (cuda_graph.h), n sequences and L layers:
///   sum over layers of the products at T* (experts at T), elementwise bytes / rate and small kernels
///   + (2 L + 1) (all_reduce(T* hidden) + wait log2(ranks)), the engine's own kernel, or outside of CUDA graphs NCCL
///   + L (decode(n decodes, mean context) + sum over chunks max(0, prefill(chunk) - 8 us))
///   + LM head of the emitting sequences + sampler,
/// and host time, beside or after it. Experts are routed evenly but at random, so few tokens touch fewer experts than
/// in balanced benchmarks: below 64 tokens the time is scaled by E (1 - (1 - k / E)^T) / min(E, k T). Spread over
/// GPUs with `rank_loads`, they take what the fullest GPU's visits do, of evenly routed ones as many: those of
/// (visits x T) tokens, less what memory takes of experts that no token visits there.
/// Pipeline stages as in make_roofline(). What was fitted and where: docs/models.md.
std::unique_ptr<StepLatency> make_profile_latency(ProfileInputs inputs);
/// The same, with a profile of its own.
std::unique_ptr<StepLatency> make_profile_latency(ProfileInputs inputs, const KernelProfile& profile);

}  // namespace servecast
