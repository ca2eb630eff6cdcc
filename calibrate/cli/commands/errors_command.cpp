#include <fmt/format.h>
#include <fmt/ostream.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <iterator>
#include <set>

#include "calibrate/cli/commands/commands.h"
#include "calibrate/servers/comparison.h"
#include "calibrate/servers/fit_errors.h"
#include "calibrate/servers/forecasts.h"
#include "calibrate/servers/measured_server.h"
#include "models/base/error.h"
#include "sim/cli/program/command.h"
#include "sim/cli/program/console.h"
#include "sim/cli/program/options.h"
#include "sim/input/library/library.h"
#include "sim/plan/runs/child_process.h"
#include "sim/report/files/text_file.h"

namespace servecast {
namespace {

/// Of 19 draws the least and the most are where 5 and 95 % of all draws are, in the mean.
constexpr std::int64_t draws = 19;
constexpr std::size_t servers_with_draws = 2;  // of each system: what kernels explain of its figures

/// Forecasts with the spreads of kernels alone: an engine's own error is what is to be found. Of all engines, since
/// how systems of one differ is held against the others'.
std::vector<ComparedFigure> by_kernels_alone(const std::vector<MeasuredServer>& all) {
  std::set<std::string> engines;
  for (const MeasuredServer& s : all)
    if (s.error_fit) engines.insert(s.engine);
  const ScratchFolder scratch;
  std::vector<ComparedFigure> figures;
  for (const std::string& name : engines) {
    std::vector<MeasuredServer> servers;
    std::ranges::copy_if(all, std::back_inserter(servers),
                         [&](const MeasuredServer& s) { return s.error_fit && s.engine == name; });
    ForecastOptions how{.program = sibling_program("servecast"),
                        .engine = scratch / (name + ".yaml"),
                        .replicates = draws,
                        .interval_servers = servers_with_draws,
                        .at_a_time = processors()};
    write_text(how.engine, without_errors(library_file(engine_folder, name, {}, "")));
    const std::vector<ComparedFigure> own = compare(servers, forecast(servers, how));
    figures.insert(figures.end(), own.begin(), own.end());
  }
  return figures;
}

class ErrorsCommand final : public Command {
 public:
  void declare(CLI::App& app) override {
    app.add_option("ENGINE", engines_, "Bundled engines")->required()->type_name("NAME...");
    add_path(app, "--servers", servers_, "DIR", "Measured servers")->required();
    add_path(app, "--write", write_, "DIR", "Put the errors into the engine files of this folder, <ENGINE>.yaml");
    app.footer(
        "The systems that it fits on, and how the intervals do on the others, are in docs/accuracy.md.\n"
        "Example:\n  servecast-calibrate errors vllm-0.15 --servers measured --write scenarios/hw/engines");
  }

  int run(Console& console) override {
    const std::vector<ComparedFigure> figures = by_kernels_alone(all_servers(servers_).servers);
    for (const std::string& engine : engines_) {
      const std::string text = errors_yaml(fit_errors(figures, engine));
      if (text.empty())
        throw UserError("'" + servers_ + "' holds no server that errors of '" + engine +
                        "' are fitted on; docs/accuracy.md shows the split");
      const std::string file = (std::filesystem::path(write_) / (engine + ".yaml")).string();
      if (write_.empty())
        fmt::print(console.out, "# {}\n{}", engine, text);
      else
        write_text(file, without_errors(file) + text);
    }
    return 0;
  }

 private:
  std::vector<std::string> engines_;
  std::string servers_;
  std::string write_;
};

}  // namespace

std::unique_ptr<Command> make_errors_command() { return std::make_unique<ErrorsCommand>(); }

}  // namespace servecast
