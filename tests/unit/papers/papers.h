#pragma once
#include <gtest/gtest.h>

#include <string>

#include "sim/engine/run/run.h"
#include "sim/input/resolve/load_scenario.h"
#include "sim/report/record/recorder.h"
#include "sim/report/record/run_facts.h"
#include "sim/report/summary/summary.h"

namespace servecast {

/// A scenario of scenarios/papers/, by its name without ".yaml".
inline Scenario paper(const std::string& name, const std::vector<Override>& overrides = {}) {
  return load_scenario(std::string(SERVECAST_SOURCE_DIR) + "/scenarios/papers/" + name + ".yaml", overrides);
}

/// Runs it; one test may run several, since nothing carries bytes from one replica to another.
struct PaperRun {
  explicit PaperRun(Scenario scenario) : recorder(scenario.pools.size()) {
    const RunFacts facts = run_without_engine(scenario, recorder, {});
    summary = summarise(recorder, facts);
  }
  Recorder recorder;
  Summary summary{};
};

}  // namespace servecast
