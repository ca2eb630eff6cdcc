#pragma once
#include "sim/engine/time/run_options.h"

namespace servecast {

class Recorder;
struct RunFacts;
struct Scenario;

/// Simulates the scenario; uses up its workload. Once per process: SimGrid's engine is a singleton whose clock never
/// resets. Fills `recorder` as things happen and returns what the report needs to know about the run as a whole; the
/// caller adds version and settings.
RunFacts run(Scenario& scenario, Recorder& recorder, const RunOptions& options);

/// The same without SimGrid, any number of times per process: a plain loop over what is due next. Nothing can load
/// weights or move anything else over a link here; a yardstick for tests and benchmarks.
RunFacts run_without_engine(Scenario& scenario, Recorder& recorder, const RunOptions& options);

}  // namespace servecast
