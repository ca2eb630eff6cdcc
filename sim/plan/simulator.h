#pragma once
#include <string>

#include "sim/plan/evaluator.h"

namespace servecast {

/// How one run is simulated. Both are called in a process of its own, in this order, once.
class Simulator {
 public:
  virtual ~Simulator() = default;

  /// Reads the scenario and returns the key of the run: the same wherever and whenever all that the run rests on is
  /// the same. Throws UserError.
  virtual std::string load(const RunRequest& request) = 0;
  /// Runs what was read: the text of summary.json. Throws UserError.
  virtual std::string run() = 0;
};

}  // namespace servecast
