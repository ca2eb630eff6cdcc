#pragma once
#include <optional>

#include "sim/input/scenario.h"
#include "sim/plan/run_key.h"
#include "sim/plan/simulator.h"

namespace servecast {

/// What `servecast run` does, for whoever wants many runs.
class ScenarioSimulator final : public Simulator {
 public:
  std::string load(const RunRequest& request) override;
  std::string run() override;

 private:
  std::optional<Scenario> scenario_{};
  std::string settings_{};
  FileDigests digests_{};
};

}  // namespace servecast
