#pragma once
#include <string>

#include "sim/report/summary/summary.h"
#include "tests/unit/engine/scenario_text.h"

namespace servecast {

/// What is reported of a scenario, given as text, that runs without SimGrid.
inline Summary summary_of(const std::string& text) {
  Scenario scenario = scenario_from(text);
  Recorder recorder(scenario.pools.size());
  const RunFacts facts = run_without_engine(scenario, recorder, {});
  return summarise(recorder, facts);
}

}  // namespace servecast
