#include "sim/engine/facts/scenario_facts.h"

#include <map>
#include <optional>

#include "sim/input/scenario/scenario.h"
#include "sim/report/record/recorder.h"
#include "sim/report/record/run_facts.h"

namespace servecast {

void set_readers(Scenario& scenario, Recorder& recorder) {
  std::map<ClassId, ReaderFacts> readers;
  std::optional<ReaderFacts> others;
  for (const ReaderSpec& entry : scenario.spec.perceived) {
    const ReaderFacts reader{static_cast<double>(entry.first_field_tokens), entry.reading_tokens_per_s};
    if (entry.request_class.empty())
      others = reader;
    else
      readers.emplace(scenario.notes->classes.id(entry.request_class), reader);
  }
  recorder.set_readers(std::move(readers), others);
}

SloFacts slo_facts(const ScenarioSpec& spec) {
  return {spec.slo.ttft_s, spec.slo.tpot_s, spec.slo.e2e_s, spec.slo.target_fraction};
}

}  // namespace servecast
