#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>
#include <utility>

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

/// Of a folder of measurements, those that terms of `engine` may be fitted on.
std::vector<MeasuredServer> fitting_servers(const std::string& folder, const std::string& engine) {
  std::vector<MeasuredServer> servers = all_servers(folder).servers;
  std::erase_if(servers, [&](const MeasuredServer& s) { return !s.fitting || s.engine != engine; });
  if (servers.empty())
    throw UserError("'" + folder + "' holds no server that terms of '" + engine +
                    "' are fitted on; `servecast-calibrate report --servers` shows the split");
  return servers;
}

/// What the file says it was fitted on.
std::vector<FittedSystem> systems_of(const std::vector<MeasuredServer>& servers) {
  std::map<std::pair<std::string, std::string>, int> count;
  for (const MeasuredServer& server : servers) ++count[{server.gpu, server.model}];
  std::vector<FittedSystem> systems;
  for (const auto& [system, rows] : count)
    systems.push_back({.gpu = system.first, .llm = system.second, .covers = fmt::format("{} servers", rows)});
  return systems;
}

class EngineCommand final : public Command {
 public:
  void declare(CLI::App& app) override {
    CLI::Option* runs = add_path(
        app, "RUNS", runs_, "FILE",
        "CSV of measured stages: scenario,class,ttft_mean_s,tpot_mean_s, and ttft_p50_s if known; a few minutes at "
        "two rates do");
    add_path(app, "--servers", servers_, "DIR",
             "Fit on the measured servers of this folder that the split sets aside for it, as bundled files are")
        ->excludes(runs);
    add_path(app, "--start", start_, "ENGINE", "Engine profile to start from: a bundled name or a YAML file");
    app.add_flag("--afresh", afresh_, "Start from round terms, so that the fit does not depend on the one before");
    add_path(app, "-o,--out", out_, "FILE", "Write the profile into this file; left out: to the terminal");
    app.footer(
        "Examples:\n  servecast-calibrate engine runs.csv --start vllm-0.15 --out my-engine.yaml\n"
        "  servecast-calibrate engine --servers measured --start trtllm-1.0");
  }

  int run(Console& console) override {
    if (runs_.empty() && servers_.empty()) throw UserError("what to fit on is missing: RUNS, or --servers DIR");
    const std::vector<MeasuredServer> servers =
        servers_.empty() ? own_servers(runs_) : fitting_servers(servers_, start_);
    if (servers.empty()) throw UserError("'" + runs_ + "' has no rows");
    const EngineProfile bundled = load_engine(start_, {});
    const EngineProfile start = afresh_ ? with_round_terms(bundled) : bundled;
    const ForecastOptions how{.program = sibling_program("servecast"), .at_a_time = processors()};
    EngineFit fit = fit_engine(start, servers, how);
    describe(fit, start, servers);
    if (out_.empty())
      console.out << engine_yaml(fit.engine);
    else
      write_text(out_, engine_yaml(fit.engine));
    return 0;
  }

 private:
  void describe(EngineFit& fit, const EngineProfile& start, const std::vector<MeasuredServer>& servers) const {
    const std::string errors = fmt::format("median error {:.1f} % (before: {:.1f} %)", 100 * fit.median_error_after,
                                           100 * fit.median_error_before);
    fit.engine.basis = "fitted";
    if (servers_.empty()) {
      fit.engine.title = start.title + ", fitted anew";
      fit.engine.source = fmt::format("{} figures of {}, {}; the rest as {}", fit.figures, runs_, errors, start_);
      fit.engine.fitted_on.clear();
      return;
    }
    fit.engine.source = fmt::format("{} figures of {} measured servers, {}", fit.figures, servers.size(), errors);
    fit.engine.fitted_on = systems_of(servers);
  }

  std::string runs_;
  std::string servers_;
  std::string start_ = "vllm-0.15";
  bool afresh_ = false;
  std::string out_;
};

}  // namespace

std::unique_ptr<Command> make_engine_command() { return std::make_unique<EngineCommand>(); }

}  // namespace servecast
