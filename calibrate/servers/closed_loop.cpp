#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "calibrate/servers/bundled.h"
#include "calibrate/servers/csv_rows.h"
#include "calibrate/servers/left_out.h"
#include "calibrate/servers/measured_server.h"
#include "models/base/escaped.h"
#include "sim/input/library/hardware.h"

namespace servecast {
namespace {

constexpr double s_per_ms = 1e-3;
// What the rows do not say stands in the public scripts of the benchmark that vLLM's come from (InferenceMAX, October
// 2025: benchmarks/70b_fp8_h100_*.sh and its client): ten requests per client, the first of all clients at once,
// lengths of 80 to 100 % of the nominal ones, greedy; as many sequences as clients, no prefix caching. The scripts
// that are public today keep the cache in fp8; with that 64 clients of 1024/8192 would not wait at TP2, but they did,
// for 31 s.
//
// TensorRT-LLM's rows come from AIConfigurator, whose generator of settings (generator/config: agg) gives a server as
// many tokens in a step as sequences, one prompt and 1,500. One client always waits: TTFT grows with the output's
// length by a whole answer over the number of clients. So a server runs one sequence fewer than there are clients.
constexpr std::int64_t rounds = 10;
constexpr std::int64_t spare_tokens = 1500;

std::string vllm_settings(const CsvRow& row) {
  return fmt::format(
      "    batcher: {{policy: vllm_v1, max_num_batched_tokens: 8192, max_num_seqs: {}}}\n"
      "    kv_cache: {{policy: paged}}\n",
      row.count("concurrency"));
}

std::string trtllm_settings(const CsvRow& row) {
  return fmt::format(
      "    batcher: {{policy: trtllm, overlap_scheduler: true, max_batch_size: {}, max_num_tokens: {}}}\n"
      "    kv_cache: {{policy: paged_reserved, block_tokens: 32}}\n",
      std::max<std::int64_t>(1, row.count("concurrency") - 1),
      row.count("concurrency") + row.count("isl") + spare_tokens);
}

/// Servers whose set-up is known.
struct Kind {
  std::string_view backend;
  std::string_view version;  // the row's begins with it, or is not said
  const char* engine;
  const char* group;
  double shortest;                     // lengths are uniform from this share of the nominal ones up
  bool clean_ttft;                     // no start-up effects are inside it
  std::string (*pool)(const CsvRow&);  // settings beyond model, GPU and shape
};
constexpr std::array<Kind, 2> known_servers{
    {{"vllm", "0.15", "vllm-0.15", "vLLM closed loop", 0.8, true, vllm_settings},
     {"trtllm", "1.0", "trtllm-1.0", "TensorRT-LLM closed loop", 1, false, trtllm_settings}}};

/// 0.15, 0.15.1 and 0.15rc2 are 0.15, 0.150 is not.
bool is_version(std::string_view version, std::string_view wanted) {
  if (!version.starts_with(wanted)) return false;
  const std::string_view rest = version.substr(wanted.size());
  return rest.empty() || rest.front() < '0' || rest.front() > '9';
}

const Kind& kind_of(const CsvRow& row) {
  const std::string& backend = row.text("backend");
  const std::string& version = row.text("backend_version");
  for (const Kind& kind : known_servers)
    if (backend == kind.backend && (version.empty() || is_version(version, kind.version))) return kind;
  std::vector<std::string> known;
  for (const Kind& kind : known_servers) known.push_back(fmt::format("{} {}", kind.backend, kind.version));
  throw NoMatch(fmt::format("no closed-loop server of {}{}{} is known; those of {} are", backend,
                            version.empty() ? "" : " ", version, fmt::join(known, " and ")));
}

/// One aggregated server whose GPUs share layers: a row does not say how others share requests out.
void check_shape(const CsvRow& row, const BundledGpu& gpu) {
  if (row.text("mode") != "agg")
    throw NoMatch(fmt::format("mode '{}' does not say which GPUs do what; 'agg' does", row.text("mode")));
  if (row.text("concurrency").empty()) throw NoMatch("the row does not say how many clients there were");
  for (const char* column : {"attention_dp_size", "moe_ep_size"})
    if (row.count_or_one(column) > 1)
      throw NoMatch(fmt::format("{} {}: the row does not say how requests are shared out", column, row.text(column)));
  const std::int64_t gpus = row.count_or_one("tp_size") * row.count_or_one("pp_size");
  const std::int64_t most = load_node(gpu.node, {}).gpus;
  if (gpus < 1 || gpus > most) throw NoMatch(fmt::format("{} GPUs are no share of a {} of {}", gpus, gpu.node, most));
}

std::string scenario(const CsvRow& row, const Kind& kind, const BundledGpu& gpu, const BundledLlm& llm) {
  const std::int64_t clients = row.count("concurrency");
  return fmt::format(R"(name: {}
workload:
  generate:
    requests: {}
    arrivals: {{closed_loop: {{clients: {}}}}}
    prompt_tokens: {{uniform: {{min: {}, max: {}}}}}
    output_tokens: {{uniform: {{min: {}, max: {}}}}}
cluster: {{node: {}}}
pools:
  - name: server
    llm: {}
    gpu: {}
    weights: {}
    tensor_parallel: {}
    pipeline_parallel: {}
    sampling: greedy
{})",
                     yaml_text(row.text("id")), rounds * clients, clients, kind.shortest * row.number("isl"),
                     row.text("isl"), kind.shortest * row.number("osl"), row.text("osl"), gpu.node, llm.name,
                     gpu.name, bundled_weights(row.text("precision"), llm.weights), row.count_or_one("tp_size"),
                     row.count_or_one("pp_size"), kind.pool(row));
}

/// Start-up effects are inside the TTFT of the TensorRT-LLM rows (it grows with the output's length), so it is not
/// compared; prompts of 8,192 tokens are where it says most.
MeasuredStage stage(const CsvRow& row, const Kind& kind, const BundledGpu& gpu) {
  const bool long_prompts = row.count("isl") == 8192;
  MeasuredStage stage{.title = fmt::format("TP{}, {}/{}, {} clients", row.text("tp_size"), row.text("isl"),
                                           row.text("osl"), row.text("concurrency")),
                      .group = fmt::format("{}{}{}", kind.group, gpu.measured ? "" : ", derived GPUs",
                                           long_prompts ? ", 8192/1024" : "")};
  stage.measured.push_back({ServerFigure::tpot_mean, s_per_ms * row.number("silicon_tpot_ms")});
  if (kind.clean_ttft) stage.measured.push_back({ServerFigure::ttft_mean, s_per_ms * row.number("silicon_ttft_ms")});
  return stage;
}

MeasuredServer closed_loop_server(const CsvRow& row) {
  const Kind& kind = kind_of(row);
  const BundledGpu gpu = bundled_gpu(row.text("system"));
  const BundledLlm llm = bundled_llm(row.text("model_path"));
  check_shape(row, gpu);
  return {.name = fmt::format("{} {} {}", llm.name, kind.backend, row.text("system")),
          .model = llm.name,
          .engine = kind.engine,
          .scenario = scenario(row, kind, gpu, llm),
          .stages = {stage(row, kind, gpu)}};
}

}  // namespace

ReadServers closed_loop_servers(const std::string& file) { return read_rows(file, closed_loop_server); }

}  // namespace servecast
