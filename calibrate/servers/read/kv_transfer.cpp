// Mooncake's KV transfers: one prefill and one decode engine on a node each, one request at a time.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "calibrate/servers/read/closed_loop/closed_loop_run.h"
#include "calibrate/servers/read/csv_rows.h"
#include "calibrate/servers/read/left_out.h"
#include "models/base/escaped.h"

namespace servecast {
namespace {

/// The setups of the page, by the beginning of the column `setup`.
struct Pair {
  const char* setup;
  const char* gpu;
  const char* node;
  double nic_bytes_per_s;  // of each of eight
  const char* model;
  const char* version;  // of vLLM
};
constexpr std::array pairs{
    Pair{"H800 2x8, Qwen3-8B TP8", "h800_sxm_80g", "dgx_h100", 25e9, "Qwen/Qwen3-8B", "0.11.2"},
};

const Pair& pair_of(const std::string& setup) {
  if (setup.starts_with("H20"))
    throw NoMatch("no H20 is bundled; the terms of transfer engine 'mooncake' were fitted on these rows");
  const auto found = std::ranges::find_if(pairs, [&](const Pair& pair) { return setup.starts_with(pair.setup); });
  if (found == pairs.end()) throw NoMatch("setup '" + setup + "' is not known");
  return *found;
}

std::string transfer_scenario(const Pair& pair, const BundledLlm& llm, std::int64_t prompt_tokens) {
  const std::string pool = fmt::format("    llm: {}\n    gpu: {}\n    tensor_parallel: 8\n", llm.name, pair.gpu);
  return fmt::format(
      R"(name: KV transfer
{}cluster: {{node: {}, nodes: 2, fabric: single_switch}}
nodes: {{{}: {{nic_bytes_per_s: {}}}}}
pools:
  - name: prefill
{}    placement: {{policy: disaggregated, decode_pool: decode, transfer_engine: {{kind: mooncake}}}}
  - name: decode
{})",
      workload_text({.clients = 1, .prompt_tokens = prompt_tokens, .output_tokens = 128}), pair.node, pair.node,
      pair.nic_bytes_per_s, pool, pool);
}

MeasuredServer transfer_server(const CsvRow& row) {
  const Pair& pair = pair_of(row.text("setup"));
  const BundledLlm llm = bundled_llm(pair.model);
  const std::int64_t prompt_tokens = row.count("prompt_tokens");
  return {.name = fmt::format("{} tokens of {}", prompt_tokens, llm.name),
          .model = llm.name,
          .engine = engine_file("vllm", pair.version),
          .pools = 2,
          .scenario = transfer_scenario(pair, llm, prompt_tokens),
          .stages = {{.title = fmt::format("{} tokens", prompt_tokens),
                      .regime = Regime::kv_transfers,
                      .system = fmt::format("{}, 2 x 8 {}, Mooncake's engine", llm.name, pair.gpu),
                      .measured = {{ServerFigure::kv_transfer_mean, row.number("transfer_ms") * seconds_of_ms}}}}};
}

}  // namespace

ReadServers kv_transfer_servers(const std::string& file) { return read_rows(file, transfer_server); }

}  // namespace servecast
