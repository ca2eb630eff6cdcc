// Prompts alone: how fast a server computes them. llm-d asks an idle server for a step of prompt tokens at a time.
// With wide expert parallelism prompts for all ranks wait (LMSYS, "Deploying DeepSeek with PD disaggregation and
// large-scale expert parallelism on 96 H100 GPUs", May 2025).
#include <fmt/format.h>

#include "calibrate/servers/measured_server.h"
#include "calibrate/servers/read/closed_loop/closed_loop_run.h"
#include "calibrate/servers/read/csv_rows.h"
#include "calibrate/servers/read/left_out.h"
#include "calibrate/servers/read/published.h"
#include "models/base/escaped.h"

namespace servecast {
namespace {

constexpr std::int64_t lone_prompts = 20;

/// "vLLM 0.22.0 repeat"
std::string vllm_version(const std::string& engine) {
  constexpr std::string_view name = "vLLM ";
  if (!engine.starts_with(name)) throw NoMatch("engine '" + engine + "' is not known; vLLM is");
  return engine.substr(name.size(), engine.find(' ', name.size()) - name.size());
}

MeasuredServer lone_prompt_server(const CsvRow& row) {
  const BundledLlm llm = bundled_llm(row.text("model"));
  const BundledGpu gpu = bundled_gpu("H100-SXM-80GB");
  const std::int64_t tokens = row.count("chunk_tokens");
  const std::string name = row.text("model") + ", one prompt at a time";
  return {.name = name,
          .model = llm.name,
          .engine = engine_file("vllm", vllm_version(row.text("engine"))),
          .gpu = gpu.name,
          .experts = llm.experts,
          .scenario = fmt::format(R"(name: {}
workload:
  generate:
    requests: {}
    arrivals: {{closed_loop: {{clients: 1}}}}
    prompt_tokens: {{fixed: {}}}
    output_tokens: {{fixed: 1}}
cluster: {{node: {}}}
pools:
  - name: server
    llm: {}
    gpu: {}
{}    sampling: greedy
    tensor_parallel: {}
    batcher: {{policy: vllm_v1, max_num_batched_tokens: {}, max_num_seqs: 1024}}
    kv_cache: {{policy: paged}}
)",
                                  yaml_text(name), lone_prompts, tokens, gpu.node, llm.name, gpu.name,
                                  weight_settings(bundled_weights("", llm), gpu), row.text("tp"), tokens),
          .stages = {{.title = fmt::format("{} tokens", tokens),
                      .regime = Regime::prefill,
                      .system = fmt::format("{}, {}, {}", llm.name, gpu.name, row.text("engine").substr(0, 11)),
                      .measured = {{ServerFigure::prompt_tokens_per_s, row.number("prefill_tok_s")}}}}};
}

constexpr std::int64_t wide_nodes = 4;
constexpr std::int64_t wide_ranks = 32;
constexpr std::int64_t wide_steps = 12;  // of prompts that wait

/// 32 redundant experts and two micro-batches, whose exchange is DeepEP's; memory and requests as SGLang's issue
/// 6017, which repeats the run, sets them. A perfect balance is the row's own premise.
std::string wide_scenario(const CsvRow& row, const std::string& name, const BundledGpu& gpu) {
  const std::int64_t step = wide_ranks * row.count("batch");
  const bool perfect = row.text("note").find("perfect") != std::string::npos;
  return fmt::format(R"(name: {}
workload:
  generate:
    requests: {}
    arrivals: {{constant: {{requests_per_s: 1e6}}}}
    prompt_tokens: {{fixed: {}}}
    output_tokens: {{fixed: 1}}
cluster: {{node: {}, nodes: {}, fabric: fat_tree}}
pools:
  - name: server
    llm: deepseek-v3
    gpu: {}
    weights: fp8_block
    sampling: greedy
    tokenizer_workers: 0
    data_parallel: {}
    expert_parallel: {}
    expert_exchange: {{redundant_experts: 32, kernels: high_throughput, two_batch_overlap: true}}
{}    batcher: {{policy: sglang, chunked_prefill_size: {}, max_prefill_tokens: {}, max_running_requests: 8192}}
    kv_cache: {{policy: paged}}
    memory: {{gpu_memory_utilization: 0.85}}
)",
                     yaml_text(name), wide_steps * step / row.count("length"), row.count("length"), gpu.node,
                     wide_nodes, gpu.name, wide_ranks, wide_ranks, perfect ? "" : "    expert_balance: {}\n", step,
                     step);
}

MeasuredServer wide_server(const CsvRow& row) {
  if (row.text("phase") != "prefill") throw NoMatch("a ratio of two servers, of which one is not described");
  if (!row.text("who").starts_with("LMSYS"))
    throw NoMatch("DeepSeek's own engine; `servecast reproduce` has its day");
  const BundledGpu gpu = bundled_gpu("H100-SXM-80GB");
  const std::string name = fmt::format("DeepSeek-V3, prompts of {}, {}", row.text("length"), row.text("note"));
  return {.name = name,
          .model = "deepseek-v3",
          .engine = "sglang-0.5",
          .gpu = gpu.name,
          .experts = true,
          .scenario = wide_scenario(row, name, gpu),
          .stages = {{.title = fmt::format("{} tokens, {}", row.text("length"), row.text("note")),
                      .regime = Regime::prefill,
                      .system = "deepseek-v3 fp8_block on 32 GPUs, " + gpu.name + ", sglang-0.5",
                      .measured = {{ServerFigure::prompt_tokens_per_s,
                                    row.number("tok_s_per_node") * static_cast<double>(wide_nodes)}}}}};
}

}  // namespace

ReadServers lone_prompt_servers(const std::string& file) { return read_rows(file, lone_prompt_server); }
ReadServers wide_expert_servers(const std::string& file) { return read_rows(file, wide_server); }

}  // namespace servecast
