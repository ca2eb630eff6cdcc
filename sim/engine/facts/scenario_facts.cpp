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

SloFacts slo_facts(const Scenario& scenario) {
  const auto bounds = [](const SloBoundsSpec& spec) {
    return SloBounds{spec.ttft_s, spec.tpot_s, spec.e2e_s, spec.target_fraction};
  };
  SloFacts facts{bounds(scenario.spec.slo)};
  for (const ClassSloSpec& own : scenario.spec.slo.classes)
    facts.classes.push_back({scenario.notes->classes.id(own.request_class), bounds(own)});
  return facts;
}

}  // namespace servecast
