// How fast the simulation loop is, each run beside its engine-free twin: same rules, a plain loop in place of
// SimGrid. Loading and reporting are left out. Times are CPU seconds; every run has a process of its own, since
// SimGrid's engine can be made only once in each. Two figures are ratios inside one run and mean the same on every
// machine:
//   engine   CPU time by that of the engine-free twin: what SimGrid costs
//   growth   CPU time by that of the same run with a tenth of the requests
//
//   build/dev/bin/bench_replay               (runs on lookup tables need SERVECAST_DATA)
#include <benchmark/benchmark.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <functional>
#include <string>

#include "tests/unit/engine/scenario_text.h"

namespace servecast {
namespace {

struct Measured {
  double cpu_s = 0;
  double steps = 0;
  double requests = 0;
  double peak_bytes = 0;  // of the whole process
};

double cpu_s() {
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

using Load = std::function<Scenario()>;

Measured measure(const Load& load, bool engine) {
  Scenario scenario = load();
  Recorder recorder(scenario.pools.size(), {.records = false});
  const double start_s = cpu_s();
  const RunFacts facts = engine ? run(scenario, recorder, {}) : run_without_engine(scenario, recorder, {});
  Measured m{.cpu_s = cpu_s() - start_s,
             .steps = static_cast<double>(facts.steps),
             .requests = static_cast<double>(recorder.count())};
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  m.peak_bytes = 1024.0 * static_cast<double>(usage.ru_maxrss);
  return m;
}

Measured in_child(const Load& load, bool engine) {
  int ends[2];
  if (pipe(ends) != 0) std::abort();
  if (fork() == 0) {
    const Measured m = measure(load, engine);
    if (write(ends[1], &m, sizeof m) != sizeof m) std::abort();
    _exit(0);
  }
  close(ends[1]);
  Measured m;
  const bool whole = read(ends[0], &m, sizeof m) == sizeof m;
  close(ends[0]);
  wait(nullptr);
  if (!whole) std::abort();
  return m;
}

struct Run {
  std::string name{};
  Load load{};
  Load tenth{};  // the same with a tenth of the requests, where growth is of interest
  int repetitions = 5;
};

void bench(benchmark::State& state, const Run& run) {
  for (auto _ : state) {
    const Measured m = in_child(run.load, true);
    const Measured twin = in_child(run.load, false);
    state.SetIterationTime(m.cpu_s);
    state.counters["engine_free_ms"] = 1e3 * twin.cpu_s;
    state.counters["engine"] = m.cpu_s / twin.cpu_s;
    if (run.tenth) state.counters["growth"] = m.cpu_s / in_child(run.tenth, true).cpu_s;
    state.counters["requests/s"] = m.requests / m.cpu_s;
    state.counters["steps"] = m.steps;
    state.counters["peak_MB"] = m.peak_bytes / 1e6;
  }
}

std::string data_folder() {
  const char* data = std::getenv("SERVECAST_DATA");
  return (data ? std::string(data) : std::string(SERVECAST_SOURCE_DIR) + "/../shared/data") + "/vidur_runs/";
}

Scenario reference_run() {
  const std::string name = "cl34_sarathi_r8_n10000";
  return load_scenario(std::string(SERVECAST_SOURCE_DIR) + "/scenarios/reference/" + name + ".yaml",
                       {{"workload.trace.path", data_folder() + name + "_input.csv.gz"},
                        {"pools[0].latency.tables", data_folder() + "cl34_tables"}});
}

/// 1,024 replicas at about 60 % load: prompts of 512 tokens on average, outputs of 256.
Scenario thousand_replicas(std::int64_t requests, const std::string& latency) {
  return scenario_from(R"(
name: a thousand replicas
workload:
  generate:
    requests: )" + std::to_string(requests) +
                       R"(
    arrivals: {poisson: {requests_per_s: 3174}}
    prompt_tokens: {exponential: {mean: 512}, max: 2048}
    output_tokens: {exponential: {mean: 256}, max: 2000}
cluster: {node: dgx_a100, nodes: 256}
pools:
  - name: chat
    llm: codellama-34b
    gpu: a100_sxm_80g
    replicas: 1024
    tensor_parallel: 2
    latency: )" + latency +
                       R"(
    batcher: {policy: sarathi, chunk_tokens: 2048, max_num_seqs: 128}
    router: {policy: least_requests}
)");
}

void add(const Run& run) {
  benchmark::RegisterBenchmark(run.name.c_str(), [run](benchmark::State& state) { bench(state, run); })
      ->UseManualTime()
      ->Unit(benchmark::kMillisecond)
      ->Iterations(1)
      ->Repetitions(run.repetitions)
      ->ReportAggregatesOnly(run.repetitions > 1);
}

void add_thousand_replicas(const std::string& name, const std::string& latency) {
  const auto of = [latency](std::int64_t requests) { return [=] { return thousand_replicas(requests, latency); }; };
  add({.name = "thousand_replicas_100k/" + name, .load = of(100'000)});
  add({.name = "thousand_replicas_1M/" + name, .load = of(1'000'000), .tenth = of(100'000)});
  add({.name = "thousand_replicas_10M/" + name,
       .load = of(10'000'000),
       .tenth = of(1'000'000),
       .repetitions = 1});  // a minute or two, for its memory
}

}  // namespace
}  // namespace servecast

int main(int argc, char** argv) {
  using namespace servecast;
  if (std::filesystem::exists(data_folder() + "cl34_tables")) {
    add({.name = "reference_8x10000", .load = reference_run});
    add_thousand_replicas("tables", "{model: table, tables: " + data_folder() + "cl34_tables}");
  }
  add_thousand_replicas("roofline", "{model: roofline}");
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
