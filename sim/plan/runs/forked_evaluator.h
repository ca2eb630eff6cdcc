#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "sim/plan/runs/child_process.h"
#include "sim/plan/runs/evaluator.h"

namespace servecast {

class ResultsFile;
class Simulator;

/// How far an evaluator has come, in all that it was asked so far.
struct RunsProgress {
  std::size_t done = 0;
  std::size_t total = 0;
  std::size_t simulated = 0;  // of those done; the others were known, or wrong
};

/// A run that ended without a result or a refusal: the program is at fault.
struct CrashedRun {
  RunRequest request{};
  std::string how{};
};
/// Which run it was, and how it ended, for a person.
std::string to_string(const CrashedRun& crashed);

struct EvaluatorOptions {
  std::size_t at_a_time = processors();
  std::function<void(const RunsProgress&)> progress{};  // empty: none
  std::function<bool()> stop{};                         // asked many times a second; true: Stopped
};

/// Simulates in child processes, several at a time. What `known` holds is not run again, and what is run is there as
/// soon as it is done; with null nothing is kept. Two requests that come to the same run are one.
class ForkedEvaluator final : public Evaluator {
 public:
  ForkedEvaluator(Simulator& simulator, ResultsFile* known, EvaluatorOptions options = {});

  std::vector<RunResult> evaluate(std::span<const RunRequest> requests) override;
  std::int64_t at_once() const override { return static_cast<std::int64_t>(options_.at_a_time); }

  /// Since the beginning.
  const RunsProgress& progress() const { return progress_; }
  const std::vector<CrashedRun>& crashed() const { return crashed_; }

 private:
  Simulator& simulator_;
  ResultsFile* known_;
  EvaluatorOptions options_;
  RunsProgress progress_{};
  std::vector<CrashedRun> crashed_{};
};

}  // namespace servecast
