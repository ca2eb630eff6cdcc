#include "sim/reproduce/probes/simulated.h"

#include <utility>

#include "models/base/error.h"
#include "sim/engine/run/run.h"
#include "sim/input/library/library.h"
#include "sim/input/resolve/load_scenario.h"
#include "sim/report/figures/figures.h"
#include "sim/report/record/run_facts.h"
#include "sim/reproduce/probes/forked.h"
#include "sim/reproduce/probes/public_traces.h"

namespace servecast {
namespace {

std::string file_of(const PaperSetup& setup) {
  return (library_dir() / "papers" / (setup.scenario + ".yaml")).string();
}

std::string name_of(const PaperSetup& setup) {
  std::string name = setup.scenario;
  for (const Override& o : setup.set) name += " --set '" + o.path + "=" + o.value + "'";
  return name;
}

}  // namespace

PaperSetup PaperSetup::with(const std::vector<Override>& more) const {
  PaperSetup setup = *this;
  setup.set.insert(setup.set.end(), more.begin(), more.end());
  return setup;
}

Reading figure_at(const std::string& key) {
  return [key](const PaperRecords& run) {
    if (const auto value = FigureValues(run.summary).of(key)) return *value;
    throw UserError("the run has no figure '" + key + "'");
  };
}

double prompt_hit_fraction(const PaperRecords& run) {
  std::int64_t cached = 0;
  std::int64_t all = 0;
  for (const RequestRecord& r : run.recorder.requests()) {
    cached += r.cached_tokens;
    all += r.prompt_tokens;
  }
  return static_cast<double>(cached) / static_cast<double>(all);
}

PaperRecords simulate_here(const PaperSetup& setup, const PublicTraces& traces, const RunOptions& options) {
  std::vector<Override> set = setup.set;
  if (!setup.trace.empty()) set.push_back({"workload.trace.path", traces.find(setup.trace)});
  Scenario scenario = load_scenario(file_of(setup), set);
  PaperRecords records{.recorder = Recorder(scenario.pools.size())};
  records.summary = summarise(records.recorder, run(scenario, records.recorder, options));
  return records;
}

std::vector<double> simulate(const PaperSetup& setup, const PublicTraces& traces,
                             const std::vector<Reading>& readings) {
  return in_own_process([&] {
    const PaperRecords run = simulate_here(setup, traces);
    std::vector<double> values;
    for (const Reading& reading : readings) values.push_back(reading(run));
    return values;
  });
}

ProbePtr own_probe(const PaperSetup& setup, std::function<std::vector<double>(const PublicTraces& traces)> measure) {
  Probe probe{.name = name_of(setup), .measure = std::move(measure)};
  if (!setup.trace.empty()) probe.traces.push_back(setup.trace);
  return std::make_shared<const Probe>(std::move(probe));
}

ProbePtr run_probe(const PaperSetup& setup, std::vector<Reading> readings) {
  return own_probe(setup, [setup, readings = std::move(readings)](const PublicTraces& traces) {
    return simulate(setup, traces, readings);
  });
}

Quantity figure_of(const PaperSetup& setup, const std::string& key) { return {run_probe(setup, {figure_at(key)})}; }

ProbePtr slow(const ProbePtr& probe) {
  Probe copy = *probe;
  copy.slow = true;
  return std::make_shared<const Probe>(std::move(copy));
}

}  // namespace servecast
