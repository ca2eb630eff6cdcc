#include <fmt/format.h>
#include <fmt/ostream.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "calibrate/cli/commands/commands.h"
#include "calibrate/cli/tables/collect_cells.h"
#include "calibrate/cli/tables/operator_table.h"
#include "calibrate/fit/cells.h"
#include "calibrate/samples/samples_csv.h"
#include "models/base/escaped.h"
#include "models/hw/profile/operator_model.h"
#include "sim/cli/program/command.h"
#include "sim/cli/program/console.h"
#include "sim/cli/program/options.h"
#include "sim/input/library/hardware.h"
#include "sim/input/library/kernel_profile_file.h"
#include "sim/report/csv/csv_writer.h"

namespace servecast {
namespace {

class ResidualsCommand final : public Command {
 public:
  void declare(CLI::App& app) override {
    app.add_option("PROFILE", profile_, "A bundled profile or a YAML file")->required();
    app.add_option("SAMPLES", samples_, "Files of samples, CSV or gzip (docs/calibrate.md)")
        ->required()
        ->type_name("FILE...");
    add_path(app, "--out", out_, "FILE", "Where to write residuals.csv")->required();
    app.footer(
        "servecast-gui draws the file. It shows shapes that the profile was fitted on and those held out apart.\n"
        "Example:\n  servecast-calibrate residuals h100_sxm_80g.vllm samples.csv.gz --out residuals.csv");
  }

  int run(Console& console) override {
    const KernelProfile profile = load_profile(profile_, {});
    const Gpu gpu = load_gpu(profile.gpu, {});
    const auto by_flavour = collect_cells(
        samples_,
        {.gpu = gpu, .engine = profile.engine, .layers = bundled_layers()});  // a mistake leaves the file as it was
    CsvWriter csv(out_, "profile,operator,shape,measured_s,fitted_s,held_out,extrapolated");
    std::int64_t rows = 0;
    for (const auto& [flavour, cells] : by_flavour) {
      const auto fitted = std::ranges::find_if(profile.operators, [&wanted = flavour](const FittedOperator& each) {
        return Flavour{each.op, each.dtype, each.kv_dtype, each.mode, each.head_dim} == wanted;
      });
      if (fitted == profile.operators.end()) continue;  // too few shapes for a fit
      write(csv, profile.title, *fitted, cells.cells);
      rows += static_cast<std::int64_t>(cells.cells.size());
    }
    csv.close();
    fmt::print(console.out, "{} shapes in {}\n", rows, visible(out_));
    return 0;
  }

 private:
  static void write(CsvWriter& csv, const std::string& title, const FittedOperator& fitted,
                    const std::vector<Cell>& cells) {
    const OperatorModel model(fitted);
    for (const Cell& cell : cells) {
      const KernelTime time = model(cell.shape);
      csv.cell(title).cell(operator_title(fitted)).cell(sizes_text(cell.shape)).cell(cell.seconds).cell(time.seconds);
      csv.cell(int{cell.held_out}).cell(int{time.extrapolated}).end_row();
    }
  }

  std::string profile_;
  std::vector<std::string> samples_;
  std::string out_;
};

}  // namespace

std::unique_ptr<Command> make_residuals_command() { return std::make_unique<ResidualsCommand>(); }

}  // namespace servecast
