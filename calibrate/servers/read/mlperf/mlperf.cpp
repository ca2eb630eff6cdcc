#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string_view>

#include "calibrate/servers/measured_server.h"
#include "calibrate/servers/read/csv_rows.h"
#include "calibrate/servers/read/mlperf/setup.h"
#include "calibrate/servers/read/published.h"
#include "models/base/escaped.h"

namespace servecast {
namespace {

constexpr double seconds_per_ms = 1e-3;
constexpr double answers_differ = 0.03;  // in tokens, from the benchmark's

/// One run. Server and Interactive: Poisson arrivals, Offline: all samples at once.
struct MlperfRun {
  const CsvRow& row;
  const MlperfBenchmark& benchmark;
  const MlperfSetup& setup;
  std::string scenario{};
  BundledGpu gpu{};
  std::string weights{};
  std::int64_t nodes = 1;
  std::int64_t gpus = 1;

  bool offline() const { return scenario == "Offline"; }
  bool trtllm() const { return std::string_view(setup.engine).starts_with("trtllm"); }
  double rate() const { return row.positive_number("target_qps"); }
};

/// "Virtualized NVIDIA H200-SXM-141GB" is of a virtual machine with whole GPUs; what its host takes is not modelled.
std::string accelerator(const CsvRow& row) {
  std::string name = row.text("accelerator");
  for (const std::string_view prefix : {"Virtualized ", "NVIDIA "})
    if (name.starts_with(prefix)) name.erase(0, prefix.size());
  return name;
}

void check_is_of_benchmark(const CsvRow& row, const MlperfBenchmark& benchmark) {
  if (row.text("valid") != "VALID") throw NoMatch("the run was not valid by MLPerf's rules");
  if (row.text("division") != "closed") throw NoMatch("of the open division, where model and samples may be changed");
  const double tokens = row.positive_number("tokens_s") / row.positive_number("samples_s");
  if (std::abs(tokens / benchmark.mean_output_tokens - 1) > answers_differ)
    throw NoMatch(fmt::format("answers have {:.0f} tokens in the mean, those of {} have {:.0f}", tokens,
                              benchmark.name, benchmark.mean_output_tokens));
}

MlperfRun run_of(const CsvRow& row) {
  const MlperfBenchmark& benchmark = mlperf_benchmark(row.text("benchmark"));
  check_is_of_benchmark(row, benchmark);
  const BundledGpu gpu = bundled_gpu(accelerator(row));
  const std::string& scenario = row.text("scenario");
  const MlperfSetup& setup = mlperf_setup({.software = row.text("software"),
                                           .benchmark = benchmark.name,
                                           .gpu = gpu.name,
                                           .submitter = row.text("submitter"),
                                           .scenario = scenario});
  const std::int64_t nodes = row.count_or_one("nodes");
  return {.row = row,
          .benchmark = benchmark,
          .setup = setup,
          .scenario = scenario,
          .gpu = gpu,
          .weights = bundled_weights(row.text("weight_dtype"), {.name = benchmark.llm, .weights = "bf16"}),
          .nodes = nodes,
          .gpus = nodes * row.count("accelerators_per_node")};
}

/// MLPerf's least 600 s instead of up to 3,600, offline 1,200 s instead of up to 9,600, which end with half-empty
/// steps: of llama2-70b on H200, 2,400 s give a TPOT 3 % longer at NVIDIA's rate, and offline 1 % more tokens/s.
double arrivals_s(const MlperfRun& run) {
  const double enough_s = run.offline() ? 1200 : 600;
  return std::min(run.row.positive_number("min_duration_s"), enough_s);
}

/// LoadGen's rule: what the target rate takes in the least duration, offline in whole sets of samples.
std::int64_t requests_of(const MlperfRun& run) {
  const double set = run.offline() ? run.row.positive_number("samples") : 1;
  return std::llround(set * std::ceil(run.rate() * arrivals_s(run) / set));
}

std::string arrivals_text(const MlperfRun& run) {
  return run.offline() ? "constant: {requests_per_s: 1.0e9}"
                       : fmt::format("poisson: {{requests_per_s: {}}}", run.rate());
}

std::string batcher_text(const MlperfRun& run) {
  const MlperfSetup& setup = run.setup;
  if (run.trtllm())
    return fmt::format("policy: trtllm, enable_chunked_context: true, max_batch_size: {}, max_num_tokens: {}",
                       setup.sequences, setup.step_tokens);
  return fmt::format(
      "policy: vllm_v1, max_num_seqs: {}, max_num_batched_tokens: {}, long_prefill_token_threshold: {}, "
      "scheduler_reserve_full_isl: false",
      setup.sequences, setup.step_tokens, setup.chunk_tokens);
}

/// NVIDIA's harness balances Server's requests and sends others to each GPU in turn (llmlib/config.py).
const char* router_of(const MlperfRun& run) { return run.scenario == "Server" ? "least_requests" : "round_robin"; }

std::string system_of(const MlperfRun& run) {
  return fmt::format("{} {}, {}, {}, {} of {} tokens a step", run.benchmark.llm, run.weights, run.gpu.title(),
                     run.setup.engine, run.scenario, run.setup.step_tokens);
}

std::string setup_of(const MlperfRun& run) { return fmt::format("{}, {} GPUs", system_of(run), run.gpus); }

std::string name_of(const MlperfRun& run) {
  return run.offline() ? setup_of(run) : fmt::format("{}, {} req/s", setup_of(run), run.rate());
}

/// Answers of Offline are not streamed (llmlib/config.py).
std::string mlperf_scenario(const MlperfRun& run) {
  return fmt::format(R"(name: {}
workload:
  generate:
    requests: {}
    arrivals: {{{}}}
    prompt_tokens: {}
    output_tokens: {}
cluster: {{node: {}, nodes: {}}}
pools:
  - name: server
    llm: {}
    gpu: {}
    replicas: {}
    pipeline_parallel: {}
    weights: {}
    kv_cache_dtype: {}
    sampling: greedy
    tokenizer_workers: 0
    stream_interval: {}
    batcher: {{{}}}
    memory: {{gpu_memory_utilization: {}}}
    kv_cache: {{policy: paged, block_tokens: {}}}
    router: {{policy: {}}}
)",
                     yaml_text(name_of(run)), requests_of(run), arrivals_text(run), run.benchmark.prompt_tokens,
                     run.benchmark.output_tokens, run.gpu.node, run.nodes, run.benchmark.llm, run.gpu.name,
                     run.gpus / run.setup.stages, run.setup.stages, run.weights, run.setup.kv_cache_dtype,
                     run.offline() ? 0 : 1, batcher_text(run), run.setup.memory_fraction, run.trtllm() ? 32 : 16,
                     router_of(run));
}

std::vector<Measurement> measured_in(const MlperfRun& run) {
  if (run.offline()) return {{ServerFigure::output_tokens_per_s, run.row.positive_number("tokens_s")}};
  const auto seconds = [&](const char* column) { return seconds_per_ms * run.row.positive_number(column); };
  return {{ServerFigure::ttft_mean, seconds("ttft_mean_ms")},
          {ServerFigure::ttft_p99, seconds("ttft_p99_ms")},
          {ServerFigure::tpot_mean, seconds("tpot_mean_ms")},
          {ServerFigure::tpot_p99, seconds("tpot_p99_ms")}};
}

MeasuredStage stage_of(const MlperfRun& run) {
  return {
      .title = fmt::format("{} {}, {}", run.row.text("submitter"), run.row.text("system"), run.row.text("benchmark")),
      .regime = Regime::mlperf,
      .system = system_of(run),
      .prompt_tokens = run.benchmark.mean_prompt_tokens,
      .output_tokens = run.benchmark.mean_output_tokens,
      .measured = measured_in(run)};
}

RateLimits limits_of(const MlperfRun& run) {
  return {.ttft_s = seconds_per_ms * run.row.positive_number("ttft_limit_ms"),
          .tpot_s = seconds_per_ms * run.row.positive_number("tpot_limit_ms"),
          .near_rate = run.rate(),
          .duration_s = arrivals_s(run)};
}

MeasuredServer server_of(const MlperfRun& run) {
  MeasuredServer server{.name = name_of(run),
                        .model = run.benchmark.llm,
                        .engine = run.setup.engine,
                        .gpu = run.gpu.name,
                        .load = run.offline() ? "closed" : "open",
                        .scenario = mlperf_scenario(run)};
  if (!run.offline()) server.limits = limits_of(run);
  return server;
}

/// What makes two entries the same run: everything but the accuracy target.
std::string entry_of(const CsvRow& row) {
  std::string key;
  for (const char* column : {"submitter", "system", "scenario", "tokens_s", "samples_s", "latency_mean_s"})
    key += row.text(column) + "|";
  return key;
}

/// Runs of one rate: a server, which is forecast once, with a stage for each run.
struct AlikeRuns {
  std::string setup{};  // what they have in common with those of other rates
  MeasuredServer server{};
};

/// Submitters try rates until one is not valid, or take over NVIDIA's: the highest of a setup is the nearest to what
/// it can. It is compared, and no other is searched for.
void keep_highest_limits(std::vector<AlikeRuns>& all) {
  std::map<std::string, MeasuredServer*> highest;
  for (AlikeRuns& runs : all) {
    if (!runs.server.limits) continue;
    MeasuredServer*& best = highest[runs.setup];
    if (!best || best->limits->near_rate < runs.server.limits->near_rate) best = &runs.server;
  }
  for (AlikeRuns& runs : all)
    if (runs.server.limits && highest[runs.setup] != &runs.server) runs.server.limits.reset();
  for (const auto& [setup, server] : highest)
    server->stages.front().measured.push_back({ServerFigure::highest_rate, server->limits->near_rate});
}

/// Draws of one server of each system: others differ in rate and nodes.
void keep_first_intervals(std::vector<AlikeRuns>& all) {
  std::set<std::string> seen;
  for (AlikeRuns& runs : all) runs.server.interval = seen.insert(runs.server.stages.front().system).second;
}

void add_run(std::vector<AlikeRuns>& all, const MlperfRun& run) {
  const std::string scenario = mlperf_scenario(run);
  auto found = std::ranges::find_if(all, [&](const AlikeRuns& r) { return r.server.scenario == scenario; });
  if (found == all.end()) found = all.insert(all.end(), {.setup = setup_of(run), .server = server_of(run)});
  found->server.stages.push_back(stage_of(run));
}

}  // namespace

ReadServers mlperf_servers(const std::string& file) {
  ReadServers read;
  std::vector<AlikeRuns> all;
  std::set<std::string> entries;
  const std::vector<CsvRow> rows = read_csv(file);
  for (const CsvRow& row : rows) {
    try {
      const MlperfRun run = run_of(row);
      if (!entries.insert(entry_of(row)).second) throw NoMatch("a run that is entered for two accuracy targets");
      add_run(all, run);
    } catch (const NoMatch& problem) {
      read.left_out.push_back({row.file(), row.line(), problem.what()});
    }
  }
  keep_highest_limits(all);
  keep_first_intervals(all);
  for (AlikeRuns& runs : all) read.servers.push_back(std::move(runs.server));
  return read;
}

}  // namespace servecast
