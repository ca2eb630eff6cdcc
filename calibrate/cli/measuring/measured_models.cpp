#include "calibrate/cli/measuring/measured_models.h"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include "calibrate/measure/compare_steps.h"
#include "calibrate/measure/step_shapes.h"
#include "calibrate/step/block_tables.h"
#include "calibrate/step/decoder_shape.h"
#include "models/base/error.h"
#include "sim/input/library/hardware.h"
#include "sim/input/library/kernel_profile_file.h"
#include "sim/input/library/llm_config.h"

namespace servecast {
Llm measured_shard(const StepModel& model) {
  const Llm llm = load_llm(model.llm, {});
  if (const auto problem = cannot_run(llm, model.tensor_parallel)) throw UserError(*problem);
  if (model.layers > llm.layers)
    throw UserError(fmt::format("{} has {} layers; --layers {} is more", llm.name, llm.layers, model.layers));
  return shard_of(llm, model.tensor_parallel, model.layers);
}

std::vector<ComparedStep> compared_with(const std::string& profile_name, const StepModel& model,
                                        std::span<const StepSample> samples) {
  const KernelProfile profile = load_profile(profile_name, {});
  const Llm shard = measured_shard(model);
  if (const auto missing = missing_attention(profile, shard)) throw UserError(*missing);
  std::vector<StepShape> shapes;
  for (const StepSample& sample : samples) shapes.push_back(sample.shape);
  const StepLimits limits = limits_of(shapes, measured_block_tokens);
  return compare_steps(samples, *step_latency_of(load_gpu(profile.gpu, {}), profile, shard, limits));
}

void print_step_errors(std::ostream& out, const StepModel& model, std::span<const ComparedStep> steps) {
  const StepErrors errors = errors_of(steps);
  std::int64_t extrapolated = 0;
  for (const ComparedStep& step : steps) extrapolated += step.extrapolated ? 1 : 0;
  fmt::print(out,
             "{}, {} layers, tensor_parallel {}: {} steps; the sum of operators is off by {:.1f} % in the median, "
             "{:.1f} % at p90 (with its sign {:+.1f} %)",
             model.llm, model.layers, model.tensor_parallel, errors.steps, 100 * errors.median, 100 * errors.p90,
             100 * errors.bias);
  if (extrapolated > 0) fmt::print(out, "; {} outside the fitted range", extrapolated);
  fmt::print(out, "\n");
}

}  // namespace servecast
