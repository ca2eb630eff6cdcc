#pragma once
#include <fmt/format.h>

#include <string>

#include "sim/report/summary/summary.h"
#include "tests/unit/engine/scenario_text.h"
#include "tests/unit/in_child.h"

namespace servecast {

/// The report of a scenario and the times of each request, to compare runs that must not differ.
inline std::string everything_of(const std::string& text, bool step_by_step) {
  return in_child([&] {
    Scenario scenario = scenario_from(text);
    Recorder recorder(scenario.pools.size());
    const RunFacts facts = run(scenario, recorder, {.step_by_step = step_by_step});
    std::string all = to_json(summarise(recorder, facts));
    for (const RequestRecord& r : recorder.requests())
      all += fmt::format("{} {}\n", r.first_token_s.value_or(-1), r.finish_s.value_or(-1));
    return all;
  });
}

}  // namespace servecast
