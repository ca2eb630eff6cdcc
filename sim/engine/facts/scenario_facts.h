#pragma once

namespace servecast {

class Recorder;
struct Scenario;
struct ScenarioSpec;
struct SloFacts;

/// Tells the recorder how fast the answers are read.
void set_readers(Scenario& scenario, Recorder& recorder);

/// Names classes that no request has had so far.
SloFacts slo_facts(const Scenario& scenario);

}  // namespace servecast
