#pragma once
#include <memory>

namespace servecast {

/// SimGrid's engine, set up for plain max-min sharing; see docs/architecture.md. Once per process: a second one would
/// start with the clock of the first.
class SimgridEngine {
 public:
  SimgridEngine();
  ~SimgridEngine();
  /// Runs every actor to its end.
  void run();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace servecast
