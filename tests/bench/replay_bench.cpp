// How fast the simulation loop is, each run beside its engine-free twin: same rules, a plain loop in place of
// SimGrid, so that the ratio of the two is the cost of the engine. Loading and reporting are left out. Times are CPU
// seconds; every run has a process of its own, since SimGrid's engine can be made only once in each.
//
//   build/dev/bin/bench_replay               (the reference run needs SERVECAST_DATA)
#include <benchmark/benchmark.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <ctime>
#include <filesystem>
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

template <class Load>
Measured measure(Load load, bool engine) {
  Scenario scenario = load();
  Recorder recorder(scenario.pools.size());
  const double start_s = cpu_s();
  const RunFacts facts = engine ? run(scenario, recorder, {}) : run_without_engine(scenario, recorder, {});
  Measured m{.cpu_s = cpu_s() - start_s,
             .steps = static_cast<double>(facts.steps),
             .requests = static_cast<double>(recorder.requests().size())};
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  m.peak_bytes = 1024.0 * static_cast<double>(usage.ru_maxrss);
  return m;
}

template <class Load>
Measured in_child(Load load, bool engine) {
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

template <class Load>
void bench(benchmark::State& state, Load load, bool engine) {
  Measured m;
  for (auto _ : state) {
    m = in_child(load, engine);
    state.SetIterationTime(m.cpu_s);
  }
  state.counters["requests/s"] = m.requests / m.cpu_s;
  state.counters["steps/s"] = m.steps / m.cpu_s;
  state.counters["steps"] = m.steps;
  state.counters["peak_MB"] = m.peak_bytes / 1e6;
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

void add(const std::string& name, const std::function<Scenario()>& load) {
  for (bool engine : {true, false})
    benchmark::RegisterBenchmark((name + (engine ? "/simgrid" : "/engine_free")).c_str(),
                                 [load, engine](benchmark::State& state) { bench(state, load, engine); })
        ->UseManualTime()
        ->Unit(benchmark::kMillisecond)
        ->Iterations(1)
        ->Repetitions(5)
        ->ReportAggregatesOnly();
}

}  // namespace
}  // namespace servecast

int main(int argc, char** argv) {
  using namespace servecast;
  const bool data = std::filesystem::exists(data_folder() + "cl34_tables");
  const std::string tables = "{model: table, tables: " + data_folder() + "cl34_tables}";
  if (data) add("reference_8x10000", reference_run);
  for (std::int64_t requests : {100'000, 1'000'000}) {
    const std::string size = requests == 100'000 ? "100k" : "1M";
    if (data) add("thousand_replicas_" + size + "/tables", [=] { return thousand_replicas(requests, tables); });
    add("thousand_replicas_" + size + "/roofline", [=] { return thousand_replicas(requests, "{model: roofline}"); });
  }
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
