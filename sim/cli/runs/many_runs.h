#pragma once
#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <memory>
#include <string>

#include "sim/cli/output/progress.h"
#include "sim/cli/program/hold_signals.h"
#include "sim/cli/runs/scenario_simulator.h"
#include "sim/plan/runs/forked_evaluator.h"
#include "sim/plan/runs/results_file.h"

namespace CLI {
class App;
}

namespace servecast {

struct Console;

/// The results file in the folder of --out.
inline constexpr const char* results_name = "plan.sqlite";

/// What every command takes that simulates often.
struct ManyRunsArguments {
  std::string out{};
  std::int64_t jobs = 0;  // 0: one per processor
  ProgressArguments progress{};

  void declare(CLI::App& app);
  std::string file(const std::string& name) const;  // in the folder of --out, which is made where it is missing
};

/// Simulations in child processes, with a progress bar; with --out in a results file, so that a command that was
/// stopped goes on where it was. While it lives, signals wait: evaluate() throws Stopped.
class ManyRuns {
 public:
  /// `planned`: about how many runs there will be.
  ManyRuns(const ManyRunsArguments& arguments, std::size_t planned, const Console& console);

  Evaluator& evaluator() { return evaluator_; }
  /// All is done: the bar goes, and runs that crashed are named. The command's exit status.
  int finish();
  /// Throws what a command says that cannot do without a run: a mistake of the user's, unless the run crashed.
  [[noreturn]] void refuse(const std::string& message) const;

 private:
  EvaluatorOptions options(std::int64_t jobs, std::size_t planned);

  HoldSignals signals_{};  // first: a signal is let through when all is closed
  ScenarioSimulator simulator_{};
  std::unique_ptr<ResultsFile> known_;  // null: nothing is kept
  ProgressView view_;
  std::ostream& err_;
  ForkedEvaluator evaluator_;
};

/// Where the parent process keeps the signal from ending this one.
inline constexpr int cut_short = 130;

}  // namespace servecast
