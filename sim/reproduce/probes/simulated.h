#pragma once
#include <functional>
#include <string>
#include <vector>

#include "sim/engine/time/run_options.h"
#include "sim/input/yaml/override.h"
#include "sim/report/record/recorder.h"
#include "sim/report/summary/summary.h"
#include "sim/reproduce/probes/quantity.h"

namespace servecast {

/// A scenario of scenarios/papers with settings of its own.
struct PaperSetup {
  std::string scenario{};  // without ".yaml"
  std::vector<Override> set{};
  std::string trace{};  // file name of the public trace that it reads; empty: none

  PaperSetup with(const std::vector<Override>& more) const;
};

/// What a run leaves behind.
struct PaperRecords {
  Recorder recorder;
  Summary summary{};
};

/// A number of one run.
using Reading = std::function<double(const PaperRecords& run)>;

/// A figure of summary.json by its key (docs/figures.md). Throws UserError where the run has no such number.
Reading figure_at(const std::string& key);
/// Share of prompt tokens that were found in a cache.
double prompt_hit_fraction(const PaperRecords& run);

/// Runs it in this process, which must not have run another one.
PaperRecords simulate_here(const PaperSetup& setup, const PublicTraces& traces, const RunOptions& options = {});
/// Runs it in a process of its own and reads off numbers.
std::vector<double> simulate(const PaperSetup& setup, const PublicTraces& traces,
                             const std::vector<Reading>& readings);

/// One run.
ProbePtr run_probe(const PaperSetup& setup, std::vector<Reading> readings);
/// One run, for one figure of its summary.
Quantity figure_of(const PaperSetup& setup, const std::string& key);

/// A probe of a setup with a way of its own.
ProbePtr own_probe(const PaperSetup& setup, std::function<std::vector<double>(const PublicTraces& traces)> measure);
/// The same probe, left out of a quick round.
ProbePtr slow(const ProbePtr& probe);

}  // namespace servecast
