#include "calibrate/cli/measuring/measure_step.h"

#include <CLI/CLI.hpp>
#include <algorithm>

#include "calibrate/cli/measuring/measured_models.h"
#include "calibrate/measure/compare_steps.h"
#include "calibrate/measure/measure_steps.h"
#include "calibrate/measure/step_shapes.h"
#include "servecast_version.h"
#include "sim/cli/program/console.h"
#include "sim/cli/program/options.h"
#include "sim/input/library/hardware.h"

namespace servecast {

void MeasureStep::declare(CLI::App& app) {
  option_ = app.add_option("--step", model_.llm,
                           "Time whole steps of this model's decoder layers, and of its LM head: a bundled name or a "
                           "config.json");
  app.add_option("--layers", model_.layers, "With --step: so many layers")
      ->check(not_above_zero, above_zero)
      ->capture_default_str()
      ->needs(option_);
  app.add_option("--tensor-parallel", model_.tensor_parallel, "With --step: one GPU's share of so many")
      ->check(not_above_zero, above_zero)
      ->capture_default_str()
      ->needs(option_);
}

MeasureProgress MeasureStep::run(const MeasureArguments& arguments, const ShowProgress& show) const {
  const StepsRequest request{.gpu = load_gpu(arguments.gpu, {}).name,
                             .version = version,
                             .model = model_,
                             .out = arguments.out,
                             .budget_s = arguments.budget_s,
                             .shapes = standard_step_shapes()};
  const std::unique_ptr<StepBench> bench = open_step_bench(measured_shard(model_), request.shapes);
  return measure_steps(request, *bench, show);
}

void MeasureStep::compare(const MeasureArguments& arguments, const std::string& profile, Console& console) const {
  const std::string gpu = load_gpu(arguments.gpu, {}).name;
  std::vector<StepSample> samples = read_step_samples(arguments.out);
  std::erase_if(samples, [&](const StepSample& s) { return s.model != model_ || s.gpu != gpu; });
  if (!samples.empty()) print_step_errors(console.out, model_, compared_with(profile, model_, samples));
}

}  // namespace servecast
