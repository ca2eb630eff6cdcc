#include "calibrate/cli/measuring/serve_beside.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "calibrate/cli/measuring/measured_models.h"
#include "calibrate/measure/step_bench.h"
#include "calibrate/samples/step_samples.h"
#include "calibrate/serve/serve_loop.h"
#include "calibrate/step/block_tables.h"
#include "models/base/error.h"
#include "models/base/escaped.h"
#include "models/base/input_file.h"
#include "sim/input/resolve/load_scenario.h"
#include "sim/plan/runs/child_process.h"
#include "sim/report/csv/csv_reports.h"
#include "sim/report/files/text_file.h"
#include "sim/report/record/recorder.h"

namespace servecast {
namespace {

namespace fs = std::filesystem;

/// A bundled name stays, a path is to be found from the folder of the scenario.
std::string path_or_name(const std::string& name) { return is_there(name) ? fs::absolute(name).string() : name; }

/// The node is there to be named: one GPU alone does not use it.
std::string scenario_text(const ServeRun& run, std::int64_t blocks) {
  const std::string all_blocks = blocks > 0 ? fmt::format(", num_gpu_blocks_override: {}", blocks) : "";
  const std::string latency = run.profile.empty() ? ""
                                                  : fmt::format("    latency: {{model: profile, profile: {}}}\n",
                                                                yaml_text(path_or_name(run.profile)));
  return fmt::format(
      "name: a small server, measured and forecast\n"
      "workload: {{trace: {{path: {}, limit: {}}}}}\n"
      "cluster: {{node: dgx_h100}}\n"
      "pools:\n"
      "  - name: server\n"
      "    llm: {}\n"
      "    gpu: {}\n"
      "    engine: none\n"
      "{}"
      "    batcher: {{policy: vllm_v1, async_scheduling: false}}\n"
      "    kv_cache: {{policy: paged, block_tokens: {}{}}}\n",
      yaml_text(fs::absolute(run.trace).string()), run.requests, yaml_text(path_or_name(run.llm)),
      yaml_text(path_or_name(run.gpu)), latency, measured_block_tokens, all_blocks);
}

/// Throws UserError where a request is not for a plain server.
std::vector<Request> plain_requests(Workload& workload, const std::string& trace) {
  std::vector<Request> all;
  while (const auto request = workload.next()) {
    if (request->awaited)
      throw UserError(
          "'" + trace +
          "' has turns that wait for the answer before; choose a trace whose requests come by themselves");
    all.push_back(*request);
  }
  if (all.empty()) throw UserError("'" + trace + "' has no requests");
  return all;
}

std::int64_t longest(const std::vector<Request>& requests) {
  std::int64_t tokens = 0;
  for (const Request& r : requests) tokens = std::max(tokens, r.prompt_tokens + r.output_tokens);
  return tokens;
}

Summary summary_of(const std::vector<RequestRecord>& records, std::vector<std::string> classes,
                   const fs::path& folder) {
  Recorder recorder(1);
  RunFacts facts{
      .name = "measured", .pools = {{.name = "server", .replicas = 1, .gpus = 1}}, .classes = std::move(classes)};
  for (const RequestRecord& record : records) {
    recorder.request(record);
    facts.duration_s = std::max(facts.duration_s, record.finish_s.value_or(0));
  }
  recorder.close();
  fs::create_directories(folder);
  write_requests_csv(folder / "requests.csv", records, facts);
  return summarise(recorder, facts);
}

Summary forecast_of(const std::string& scenario, const fs::path& folder) {
  const ScratchFolder scratch;
  const ChildCommand command{.words = {sibling_program("servecast"), "run", scenario, "--out", folder.string()},
                             .output = scratch / "out.txt",
                             .complaints = scratch / "complaints.txt"};
  if (run_children(std::span(&command, 1), 1).front() != 0) {
    std::ifstream complaints(command.complaints);
    throw UserError(std::string(std::istreambuf_iterator<char>(complaints), {}));
  }
  return read_summary(folder / "summary.json");
}

}  // namespace

ServedBeside serve_beside_forecast(const ServeRun& run, const OpenExecutor& open) {
  const fs::path folder = run.folder;
  fs::create_directories(folder);
  const std::string file = folder / "scenario.yaml";
  write_text(file, scenario_text(run, 0));
  Scenario scenario = load_scenario(file);
  const Pool& pool = scenario.pools[0];
  const auto batcher = pool.spec.batcher.make();
  const auto cache = pool.spec.kv_cache.make();
  const std::vector<Request> requests = plain_requests(*scenario.workload, run.trace);
  const std::unique_ptr<StepExecutor> executor =
      open(measured_shard({.llm = run.llm, .layers = pool.llm.layers}), {.step_tokens = batcher->max_step_tokens(),
                                                                         .sequences = batcher->max_sequences(),
                                                                         .context = longest(requests)});
  const std::vector<RequestRecord> records = serve(requests, {*batcher, *cache}, *executor);
  write_text(file, scenario_text(run, executor->kv_tokens() / measured_block_tokens));
  return {.measured = summary_of(records, scenario.notes->classes.all(), folder / "measured"),
          .forecast = forecast_of(file, folder / "forecast")};
}

}  // namespace servecast
