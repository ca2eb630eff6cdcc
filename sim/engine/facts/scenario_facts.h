#pragma once

namespace servecast {

class Recorder;
struct Scenario;
struct ScenarioSpec;
struct SloFacts;

/// Tells the recorder how fast the answers are read.
void set_readers(Scenario& scenario, Recorder& recorder);

SloFacts slo_facts(const ScenarioSpec& spec);

}  // namespace servecast
