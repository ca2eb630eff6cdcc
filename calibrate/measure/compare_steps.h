#pragma once
#include <memory>
#include <span>
#include <vector>

#include "calibrate/samples/step_samples.h"
#include "calibrate/step/step_limits.h"
#include "models/hw/latency/step_latency.h"
#include "models/hw/llm/llm.h"
#include "models/hw/machine/gpu.h"
#include "models/hw/profile/kernel_profile.h"

namespace servecast {

/// The simulator's step latency of a shard (shard_of()) whose kernels are those of DecoderStep: started one by one,
/// no engine around them. `gpu` stands in for products that the profile lacks.
std::unique_ptr<StepLatency> step_latency_of(const Gpu& gpu, const KernelProfile& profile, const Llm& shard,
                                             const StepLimits& limits);

/// A measured step beside the sum of its operators.
struct ComparedStep {
  StepSample measured{};
  double forecast_s = 0;
  bool extrapolated = false;
  double error() const { return forecast_s / measured.median_s - 1; }
};
/// `latency`: of the samples' model.
std::vector<ComparedStep> compare_steps(std::span<const StepSample> samples, const StepLatency& latency);

/// How far off they are: absolute relative errors, and the median with its sign.
struct StepErrors {
  std::int64_t steps = 0;
  double median = 0;
  double p90 = 0;
  double bias = 0;
};
StepErrors errors_of(std::span<const ComparedStep> steps);

}  // namespace servecast
