#pragma once
#include <string>

#include "sim/plan/evaluator.h"

namespace servecast {

/// What load() found.
struct LoadedRun {
  std::string key{};      // the same wherever and whenever all that the run rests on is the same
  std::string learned{};  // for remember()
};

/// How one run is simulated. load() and run() are called in a process of its own, in this order, once.
class Simulator {
 public:
  virtual ~Simulator() = default;

  /// Reads the scenario. Throws UserError.
  virtual LoadedRun load(const RunRequest& request) = 0;
  /// Runs what was read: the text of summary.json. Throws UserError.
  virtual std::string run() = 0;

  /// In the process that starts the others: what one of them had to read, so that those that follow find it in
  /// memory.
  virtual void remember(const std::string& learned) = 0;
};

}  // namespace servecast
