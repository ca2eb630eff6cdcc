#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "calibrate/cli/commands/commands.h"
#include "calibrate/servers/fit_engine.h"
#include "calibrate/servers/forecasts.h"
#include "calibrate/servers/measured_server.h"
#include "calibrate/servers/own_runs.h"
#include "models/base/error.h"
#include "sim/cli/program/command.h"
#include "sim/cli/program/console.h"
#include "sim/cli/program/options.h"
#include "sim/input/library/hardware.h"
#include "sim/plan/runs/child_process.h"
#include "sim/report/files/text_file.h"

namespace servecast {
namespace {

class EngineCommand final : public Command {
 public:
  void declare(CLI::App& app) override {
    add_path(app, "RUNS", runs_, "FILE",
             "CSV of measured stages: scenario,class,ttft_mean_s,tpot_mean_s; a few minutes at two rates do")
        ->required();
    add_path(app, "--start", start_, "ENGINE", "Engine profile to start from: a bundled name or a YAML file");
    add_path(app, "-o,--out", out_, "FILE", "Write the profile into this file; left out: to the terminal");
    app.footer("Example:\n  servecast-calibrate engine runs.csv --start vllm-0.15 --out my-engine.yaml");
  }

  int run(Console& console) override {
    const std::vector<MeasuredServer> servers = own_servers(runs_);
    if (servers.empty()) throw UserError("'" + runs_ + "' has no rows");
    EngineProfile start = load_engine(start_, {});
    ForecastOptions how{.program = sibling_program("servecast"), .at_a_time = processors()};
    EngineFit fit = fit_engine(start, servers, how);
    fit.engine.title = start.title + ", fitted anew";
    fit.engine.basis = "fitted";
    fit.engine.source =
        fmt::format("{} figures of {}, median error {:.1f} % (before: {:.1f} %); the rest as {}", fit.figures, runs_,
                    100 * fit.median_error_after, 100 * fit.median_error_before, start_);
    if (out_.empty())
      console.out << engine_yaml(fit.engine);
    else
      write_text(out_, engine_yaml(fit.engine));
    return 0;
  }

 private:
  std::string runs_;
  std::string start_ = "vllm-0.15";
  std::string out_;
};

}  // namespace

std::unique_ptr<Command> make_engine_command() { return std::make_unique<EngineCommand>(); }

}  // namespace servecast
