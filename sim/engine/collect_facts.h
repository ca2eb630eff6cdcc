#pragma once

namespace servecast {

class Dispatcher;
class Recorder;
struct RunFacts;
struct Scenario;
struct ScenarioSpec;
struct SloFacts;

/// Tells the recorder who reads the answers.
void set_readers(Scenario& scenario, Recorder& recorder);

SloFacts slo_facts(const ScenarioSpec& spec);

/// What the report needs to know of a finished run beside its records.
RunFacts collect_facts(const Scenario& scenario, const Dispatcher& dispatcher);

}  // namespace servecast
