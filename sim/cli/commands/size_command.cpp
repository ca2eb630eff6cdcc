#include <CLI/CLI.hpp>

#include "models/base/error.h"
#include "sim/cli/program/command.h"
#include "sim/cli/program/console.h"
#include "sim/cli/program/options.h"
#include "sim/cli/runs/carry_out.h"
#include "sim/cli/runs/many_runs.h"
#include "sim/cli/runs/sizing_arguments.h"
#include "sim/plan/runs/child_process.h"
#include "sim/report/files/text_file.h"

namespace servecast {
namespace {

/// `plan --new` without a file to keep: the study is made, carried out and forgotten.
class SizeCommand final : public Command {
 public:
  void declare(CLI::App& app) override {
    add_path(app, "SCENARIO", sizing_.scenario, "FILE",
             "A scenario to be sized for its slo; left out: --model and what arrives");
    sizing_.declare(app);
    add_choice(app, "--format", format_, "format", {"text", "json"}, "Answer on the terminal (text)");
    runs_.declare(app);
    app.footer(
        "Examples:\n"
        "  servecast size scenarios/chat.yaml\n"
        "  servecast size --model llama-3.1-70b --rate 12 --ttft-p99 1 --tpot-p99 0.05 --gpus h100,a100\n"
        "  servecast size --model llama-3.1-8b --trace azure.csv --tpot-p99 0.05 --quick");
  }

  int run(Console& console) override {
    if (sizing_.scenario.empty() && !sizing_.given())
      throw UserError("say what to size: a scenario, or --model with --rate or --trace");
    const ScratchFolder folder;
    const std::string file = folder / "study.yaml";
    write_text(file, sizing_.study_text(file));
    try {
      return carry_out(file, runs_, format_, console);
    } catch (const Stopped&) {
      return cut_short;
    } catch (const UserError& error) {
      throw without_lines(error, file);
    }
  }

 private:
  SizingArguments sizing_;
  ManyRunsArguments runs_;
  std::string format_ = "text";
};

}  // namespace

std::unique_ptr<Command> make_size_command() { return std::make_unique<SizeCommand>(); }

}  // namespace servecast
