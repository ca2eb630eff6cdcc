#include "sim/cli/runs/many_runs.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <ostream>
#include <stdexcept>

#include "models/base/error.h"
#include "sim/cli/program/console.h"
#include "sim/cli/program/options.h"

namespace servecast {
namespace {

namespace fs = std::filesystem;

std::unique_ptr<ResultsFile> open_results(const ManyRunsArguments& arguments) {
  if (arguments.out.empty()) return nullptr;
  return std::make_unique<ResultsFile>(arguments.file(results_name));
}

}  // namespace

void ManyRunsArguments::declare(CLI::App& app) {
  add_path(app, "-o,--out", out, "DIR", "Keep results in this folder: what it has already is not simulated again");
  app.add_option("--jobs", jobs, "Simulations at a time (one per processor)")
      ->check(CLI::Range(1, 4096))
      ->type_name("N");
  progress.declare(app);
}

std::string ManyRunsArguments::file(const std::string& name) const {
  std::error_code error;
  fs::create_directories(out, error);
  if (!fs::is_directory(out)) throw UserError({out}, "is no folder and cannot be made one: " + error.message());
  return (fs::path(out) / name).string();
}

ManyRuns::ManyRuns(const ManyRunsArguments& arguments, std::size_t planned, const Console& console)
    : known_(open_results(arguments)),
      view_(arguments.progress.style(console), console.err),
      err_(console.err),
      evaluator_(simulator_, known_.get(), options(arguments.jobs, planned)) {}

EvaluatorOptions ManyRuns::options(std::int64_t jobs, std::size_t planned) {
  const auto show = [this, planned](RunsProgress progress) {
    progress.total = std::max(progress.total, planned);
    view_.show(progress);
  };
  return {.at_a_time = jobs > 0 ? static_cast<std::size_t>(jobs) : processors(), .progress = show, .stop = [this] {
            return signals_.pending();
          }};
}

int ManyRuns::finish() {
  view_.finish(evaluator_.progress());
  for (const CrashedRun& crashed : evaluator_.crashed()) err_ << "servecast: " << to_string(crashed) << "\n";
  return evaluator_.crashed().empty() ? 0 : 1;
}

void ManyRuns::refuse(const std::string& message) const {
  if (evaluator_.crashed().empty()) throw UserError(message);
  throw std::runtime_error(message + " (" + to_string(evaluator_.crashed().front()) + ")");
}

}  // namespace servecast
