#include <fmt/format.h>
#include <fmt/ostream.h>

#include <CLI/CLI.hpp>

#include "calibrate/cli/commands/commands.h"
#include "calibrate/cli/tables/collect_cells.h"
#include "calibrate/cli/tables/operator_table.h"
#include "calibrate/fit/profile_fit.h"
#include "calibrate/fit/profile_yaml.h"
#include "models/base/escaped.h"
#include "sim/cli/program/command.h"
#include "sim/cli/program/console.h"
#include "sim/cli/program/options.h"
#include "sim/input/library/hardware.h"
#include "sim/input/library/kernel_profile_file.h"
#include "sim/report/files/text_file.h"

namespace servecast {
namespace {

class FitCommand final : public Command {
 public:
  void declare(CLI::App& app) override {
    app.add_option(
           "SAMPLES", samples_,
           "Files of samples (docs/calibrate.md), or tables that `import` knows, which are taken as the GPU's; "
           "CSV or gzip")
        ->required()
        ->type_name("FILE...");
    app.add_option("--gpu", gpu_, "GPU of the profile: a bundled name or a YAML file; rows of others are skipped")
        ->required();
    app.add_option("--engine", engine_, "Engine whose rows to take; where it has none of an operator, another's")
        ->required();
    app.add_option("--expert-version", expert_versions_,
                   "Of experts, take rows of this version of the engine alone where there are any; may be repeated")
        ->type_name("VERSION");
    app.add_option(
           "--keep", keep_,
           "Profile that keeps its fits, but of copies and operators that the samples have: a bundled name or "
           "a YAML file")
        ->type_name("PROFILE");
    add_path(app, "--out", out_, "FILE", "Where to write the profile")->required();
    app.footer(
        "One shape in five is held out by a hash of its sizes; the errors printed are on those.\n"
        "Example:\n  servecast-calibrate fit --gpu h100_sxm_80g --engine vllm --out h100.yaml samples.csv.gz");
  }

  int run(Console& console) override {
    const Gpu gpu = load_gpu(gpu_, {});
    const std::map<Flavour, FlavourCells> cells =
        collect_cells(samples_, {.gpu = gpu,
                                 .engine = engine_,
                                 .expert_versions = {expert_versions_.begin(), expert_versions_.end()},
                                 .layers = bundled_layers()});
    console.out << operator_table_header();
    KernelProfile profile =
        fit_profile({.gpu = gpu, .engine = engine_, .cells = cells},
                    [&](const FittedOperator& fitted) { console.out << operator_table_row(fitted) << std::flush; });
    if (!profile.transfers.empty()) console.out << transfer_table_header();
    for (const TransferLaw& law : profile.transfers) console.out << transfer_table_row(law);
    if (profile.operators.empty() && profile.transfers.empty())
      throw UserError(
          fmt::format("no operator has the {} shapes that a fit needs, and no copy was timed", fewest_cells));
    if (!keep_.empty()) profile = with_kept(load_profile(keep_, {}), std::move(profile));
    const std::string text = profile_yaml(profile, comment());
    write_text(out_, text);
    fmt::print(console.out, "\n{} bytes in {}\n", text.size(), visible(out_));
    return 0;
  }

 private:
  std::string comment() const {
    std::string options;
    for (const std::string& version : expert_versions_) options += " --expert-version " + version;
    if (!keep_.empty()) options += " --keep " + keep_;
    return fmt::format(
        "Made by: servecast-calibrate fit --gpu {} --engine {}{} (docs/calibrate.md has the samples).\n"
        "Errors are on held-out shapes. Do not edit: fit again.",
        gpu_, engine_, options);
  }

  std::vector<std::string> samples_;
  std::string gpu_;
  std::string engine_;
  std::vector<std::string> expert_versions_;
  std::string keep_;
  std::string out_;
};

}  // namespace

std::unique_ptr<Command> make_fit_command() { return std::make_unique<FitCommand>(); }

}  // namespace servecast
