#include <fmt/format.h>

#include <algorithm>

#include "calibrate/servers/csv_rows.h"
#include "calibrate/servers/measured_server.h"
#include "models/base/error.h"

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

struct Kind {
  std::string model;
  std::string engine;
  std::string group;
  double shortest;   // lengths are uniform from this share of the nominal ones up
  std::string pool;  // settings beyond model, GPU and shape
};

Kind kind_of(const CsvRow& row) {
  if (row.text("backend") == "trtllm")
    return {.model = "llama-3.1-8b",
            .engine = "trtllm-1.0",
            .group = "TensorRT-LLM closed loop",
            .shortest = 1,
            .pool = fmt::format("    sampling: greedy\n"
                                "    batcher: {{policy: trtllm, overlap_scheduler: true, max_batch_size: {}, "
                                "max_num_tokens: {}}}\n"
                                "    kv_cache: {{policy: paged_reserved, block_tokens: 32}}\n",
                                std::max<std::int64_t>(1, row.count("concurrency") - 1),
                                row.count("concurrency") + row.count("isl") + spare_tokens)};
  return {.model = "llama-3.1-70b",
          .engine = "vllm-0.15",
          .group = "vLLM closed loop",
          .shortest = 0.8,
          .pool = fmt::format("    sampling: greedy\n"
                              "    batcher: {{policy: vllm_v1, max_num_batched_tokens: 8192, max_num_seqs: {}}}\n"
                              "    kv_cache: {{policy: paged}}\n",
                              row.text("concurrency"))};
}

std::string scenario(const CsvRow& row, const Kind& kind) {
  const std::int64_t clients = row.count("concurrency");
  return fmt::format(R"(name: {}
workload:
  generate:
    requests: {}
    arrivals: {{closed_loop: {{clients: {}}}}}
    prompt_tokens: {{uniform: {{min: {}, max: {}}}}}
    output_tokens: {{uniform: {{min: {}, max: {}}}}}
cluster: {{node: dgx_h100}}
pools:
  - name: server
    llm: {}
    gpu: h100_sxm_80g
    weights: {}
    tensor_parallel: {}
{})",
                     row.text("id"), rounds * clients, clients, kind.shortest * row.number("isl"), row.text("isl"),
                     kind.shortest * row.number("osl"), row.text("osl"), kind.model,
                     row.text("precision").empty() ? "bf16" : row.text("precision"), row.text("tp_size"), kind.pool);
}

/// Start-up effects are inside the TTFT of the TensorRT-LLM rows (it grows with the output's length), so it is not
/// compared; prompts of 8,192 tokens are where it says most.
MeasuredStage stage(const CsvRow& row, const Kind& kind) {
  const bool long_prompts = row.count("isl") == 8192;
  MeasuredStage stage{.title = fmt::format("TP{}, {}/{}, {} clients", row.text("tp_size"), row.text("isl"),
                                           row.text("osl"), row.text("concurrency")),
                      .group = kind.group + (long_prompts ? ", 8192/1024" : "")};
  stage.measured.push_back({ServerFigure::tpot_mean, s_per_ms * row.number("silicon_tpot_ms")});
  if (row.text("backend") != "trtllm")
    stage.measured.push_back({ServerFigure::ttft_mean, s_per_ms * row.number("silicon_ttft_ms")});
  return stage;
}

}  // namespace

std::vector<MeasuredServer> closed_loop_servers(const std::string& file) {
  std::vector<MeasuredServer> servers;
  for (const CsvRow& row : read_csv(file)) {
    const Kind kind = kind_of(row);
    servers.push_back({.name = kind.model + " " + row.text("backend"),
                       .model = kind.model,
                       .engine = kind.engine,
                       .scenario = scenario(row, kind),
                       .stages = {stage(row, kind)}});
  }
  return servers;
}

}  // namespace servecast
