#pragma once
#include <optional>

#include "sim/input/library/profile_cache.h"
#include "sim/input/scenario/scenario.h"
#include "sim/plan/runs/run_key.h"
#include "sim/plan/runs/simulator.h"
#include "sim/report/record/run_facts.h"

namespace servecast {

/// What `servecast run` does, for commands that make many runs.
class ScenarioSimulator final : public Simulator {
 public:
  LoadedRun load(const RunRequest& request) override;
  std::string run() override;
  void remember(const std::string& learned) override;
  std::string name(const RunRequest& request) override;
  bool still(const std::string& rests_on) override;

 private:
  std::optional<Scenario> scenario_{};
  std::string settings_{};
  std::vector<AddedFile> added_files_{};
  FileDigests digests_{};
  ProfileCache profiles_{};
};

}  // namespace servecast
