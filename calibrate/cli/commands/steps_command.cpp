#include <fmt/format.h>
#include <fmt/ostream.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <map>

#include "calibrate/cli/commands/commands.h"
#include "calibrate/cli/measuring/measured_models.h"
#include "calibrate/measure/compare_steps.h"
#include "models/base/error.h"
#include "sim/cli/program/command.h"
#include "sim/cli/program/console.h"
#include "sim/cli/program/options.h"
#include "sim/report/csv/csv_writer.h"
#include "sim/report/layout/human.h"

namespace servecast {
namespace {

constexpr std::size_t worst_shown = 5;

class StepsCommand final : public Command {
 public:
  void declare(CLI::App& app) override {
    app.add_option("PROFILE", profile_, "A bundled profile or a YAML file")->required();
    app.add_option("STEPS", steps_, "steps.csv of 'measure --step'")->required()->type_name("FILE");
    add_path(app, "--out", out_, "FILE", "Write every step beside the sum of its operators into this CSV");
    app.footer("Example:\n  servecast-calibrate steps h200_measured.yaml steps.csv");
  }

  int run(Console& console) override {
    std::map<StepModel, std::vector<StepSample>> by_model;
    for (const StepSample& sample : read_step_samples(steps_)) by_model[sample.model].push_back(sample);
    if (by_model.empty()) throw UserError("'" + steps_ + "' has no rows");
    std::vector<ComparedStep> all;
    for (const auto& [model, samples] : by_model) {
      const std::vector<ComparedStep> compared = compared_with(profile_, model, samples);
      print(console, model, compared);
      all.insert(all.end(), compared.begin(), compared.end());
    }
    if (!out_.empty()) write(all);
    return 0;
  }

 private:
  static void print(Console& console, const StepModel& model, std::vector<ComparedStep> steps) {
    print_step_errors(console.out, model, steps);
    const auto size = [](const ComparedStep& s) { return -std::abs(s.error()); };
    std::ranges::stable_sort(steps, {}, size);
    steps.resize(std::min(steps.size(), worst_shown));
    fmt::print(console.out, "\n| furthest off | measured | sum of operators | error, % |\n|---|--:|--:|--:|\n");
    for (const ComparedStep& s : steps)
      fmt::print(console.out, "| {} | {} | {} | {:+.1f} |\n", text_of(s.measured.shape),
                 human::seconds(s.measured.median_s), human::seconds(s.forecast_s), 100 * s.error());
  }

  void write(const std::vector<ComparedStep>& steps) const {
    CsvWriter csv(out_,
                  "llm,layers,tensor_parallel,decodes,decode_context,prompts,prompt_tokens,prompt_prefix,measured_s,"
                  "forecast_s,extrapolated");
    for (const ComparedStep& c : steps) {
      const StepSample& m = c.measured;
      csv.cell(m.model.llm).cell(m.model.layers).cell(m.model.tensor_parallel);
      csv.cell(m.shape.decodes).cell(m.shape.decode_context).cell(m.shape.prompts);
      csv.cell(m.shape.prompt_tokens).cell(m.shape.prompt_prefix);
      csv.cell(m.median_s).cell(c.forecast_s).cell(int{c.extrapolated}).end_row();
    }
    csv.close();
  }

  std::string profile_;
  std::string steps_;
  std::string out_;
};

}  // namespace

std::unique_ptr<Command> make_steps_command() { return std::make_unique<StepsCommand>(); }

}  // namespace servecast
