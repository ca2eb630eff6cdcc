#include "calibrate/measure/compare_steps.h"

#include <algorithm>
#include <cmath>

#include "calibrate/measure/step_shapes.h"
#include "models/base/quantile.h"
#include "models/hw/profile/profile_latency.h"

namespace servecast {
namespace {

/// Two norms, one kernel that turns and writes to the cache, and the activation; nothing waits for a host, and no
/// rows are added to fit a CUDA graph. The likeliest token is taken.
const EngineTerms own_terms{
    .all_reduce_wait_s = 0, .small_kernels_per_layer = 4, .sampler_s_per_logit = 0, .cuda_graph_max_tokens = 0};

}  // namespace

std::unique_ptr<StepLatency> step_latency_of(const Gpu& gpu, const KernelProfile& profile, const Llm& shard,
                                             const StepLimits& limits) {
  Llm greedy = shard;
  greedy.sampling = "greedy";
  return make_profile_latency({.gpu = gpu,
                               .llm = greedy,
                               .max_step_tokens = limits.tokens,
                               .max_sequences = limits.sequences,
                               .terms = own_terms},
                              profile);
}

std::vector<ComparedStep> compare_steps(std::span<const StepSample> samples, const StepLatency& latency) {
  std::vector<ComparedStep> all;
  for (const StepSample& sample : samples) {
    const StageTime time = latency.stage(work_of(parts_of(sample.shape), latency), 0);
    all.push_back({.measured = sample, .forecast_s = time.seconds, .extrapolated = time.extrapolated});
  }
  return all;
}

StepErrors errors_of(std::span<const ComparedStep> steps) {
  if (steps.empty()) return {};
  std::vector<double> errors;
  std::ranges::transform(steps, std::back_inserter(errors), &ComparedStep::error);
  StepErrors all{.steps = std::ssize(steps), .bias = quantile(errors, 0.5)};
  for (double& error : errors) error = std::abs(error);
  all.median = quantile(errors, 0.5);
  all.p90 = quantile(errors, 0.9);
  return all;
}

}  // namespace servecast
