#include "sim/cli/runs/sizing_arguments.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>

#include "models/base/error.h"
#include "sim/cli/program/options.h"
#include "sim/cli/runs/plan_study.h"
#include "sim/plan/report/plan_report.h"
#include "sim/plan/runs/child_process.h"
#include "sim/plan/study/new_study.h"
#include "sim/report/files/text_file.h"

namespace servecast {
namespace {

constexpr std::array options{"--scenario",      "--model",         "--weights",  "--trace",    "--rate",
                             "--prompt-tokens", "--output-tokens", "--requests", "--ttft-p99", "--tpot-p99",
                             "--gpus",          "--max-gpus",      "--quick"};
constexpr std::int64_t first_tried = 8;
constexpr std::int64_t largest_tried = 2048;
constexpr std::int64_t room_factor = 8;  // times the GPUs that no bound rules out: bounds are that optimistic at most

NewStudy as_study(const SizingArguments& a) {
  NewStudy study{.scenario = a.scenario,
                 .model = a.model,
                 .weights = a.weights,
                 .trace = a.trace,
                 .rate_per_s = a.rate_per_s,
                 .prompt_tokens = a.prompt_tokens,
                 .output_tokens = a.output_tokens,
                 .requests = a.requests,
                 .ttft_p99_s = a.ttft_p99_s,
                 .tpot_p99_s = a.tpot_p99_s,
                 .max_gpus = a.max_gpus,
                 .one_run = a.quick};
  std::vector<std::string> gpus = a.gpus;
  if (gpus.empty() && a.scenario.empty()) gpus = {"h100", "a100"};
  for (const std::string& gpu : gpus) study.gpus.push_back(gpu_choice(gpu));
  if (study.scenario.empty() && !study.ttft_p99_s && !study.tpot_p99_s)
    throw UserError("say what is promised: --ttft-p99 SECONDS, --tpot-p99 SECONDS, or both");
  return study;
}

}  // namespace

UserError without_lines(const UserError& error, const std::string& file) {
  std::vector<Problem> problems = error.problems();
  for (Problem& problem : problems)
    if (problem.place.file == file) problem.place = {};
  return UserError(std::move(problems));
}

namespace {

/// The fewest GPUs of a design that bounds leave open; none: bounds rule every design out.
std::optional<std::int64_t> least_gpus(const NewStudy& study) {
  const ScratchFolder folder;
  const std::string file = folder / "study.yaml";
  write_text(file, new_study_text(study, file));
  std::optional<std::int64_t> least;
  try {
    for (const PlanDesign& d : size_up_study(file).designs)
      if (d.verdict == "undecided" && d.gpus < least.value_or(d.gpus + 1)) least = d.gpus;
  } catch (const UserError& error) {
    throw without_lines(error, file);
  }
  return least;
}

std::int64_t gpus_to_try(NewStudy study) {
  for (study.max_gpus = first_tried; study.max_gpus < largest_tried; study.max_gpus *= 4)
    if (const auto least = least_gpus(study)) return std::clamp(room_factor * *least, study.max_gpus, largest_tried);
  return largest_tried;
}

}  // namespace

void SizingArguments::declare(CLI::App& app) {
  app_ = &app;
  app.add_option("--model", model, "What is served, e.g. llama-3.1-70b (servecast list llms)")->type_name("NAME");
  app.add_option("--weights", weights, "Their data type (auto: as the model is published)")->type_name("TYPE");
  add_path(app, "--trace", trace, "FILE", "What arrives, as `run` reads it; left out: Poisson arrivals at --rate");
  app.add_option("--rate", rate_per_s, "Requests a second in the mean; of a trace left out: its own")
      ->check(not_above_zero, above_zero)
      ->type_name("N");
  app.add_option("--prompt-tokens", prompt_tokens, "Without a trace: median prompt (500)")
      ->check(not_above_zero, above_zero)
      ->type_name("N");
  app.add_option("--output-tokens", output_tokens, "Without a trace: median answer (200)")
      ->check(not_above_zero, above_zero)
      ->type_name("N");
  app.add_option("--requests", requests, "Of each run (1000)")->check(CLI::Range(100, 10000000))->type_name("N");
  app.add_option("--ttft-p99", ttft_p99_s, "Promise: time to first token, 99th percentile")
      ->check(not_above_zero, above_zero)
      ->type_name("SECONDS");
  app.add_option("--tpot-p99", tpot_p99_s, "Promise: time per output token, 99th percentile")
      ->check(not_above_zero, above_zero)
      ->type_name("SECONDS");
  app.add_option("--gpus", gpus, "Kinds to compare, e.g. h100,a100 (these two; of a scenario: its own)")
      ->delimiter(',')
      ->type_name("GPU,...");
  app.add_option("--max-gpus", max_gpus, "Of a design; left out: eight times what no bound rules out")
      ->check(CLI::Range(1, 131072))
      ->type_name("N");
  app.add_flag("--quick", quick, "One run of each design, without draws of the calibration's error");
}

bool SizingArguments::given() const {
  return std::ranges::any_of(options, [&](const char* option) {
    const CLI::Option* known = app_->get_option_no_throw(option);
    return known != nullptr && known->count() > 0;
  });
}

std::string SizingArguments::study_text(const std::string& name) const {
  NewStudy study = as_study(*this);
  if (study.max_gpus == 0) study.max_gpus = gpus_to_try(study);
  return new_study_text(study, name);
}

}  // namespace servecast
