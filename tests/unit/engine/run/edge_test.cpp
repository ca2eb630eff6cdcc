// Small devices: a laptop with part of the layers on its processor, and a phone.
#include <gtest/gtest.h>

#include "sim/report/summary/summary.h"
#include "tests/unit/engine/scenario_text.h"

namespace servecast::edge_test {

double tokens_per_s(const std::string& node, const std::string& pool) {
  Scenario scenario = scenario_from(R"(
workload:
  generate:
    requests: 3
    arrivals: {closed_loop: {clients: 1}}
    prompt_tokens: {fixed: 100}
    output_tokens: {fixed: 100}
cluster: {node: )" + node + R"(}
pools:
  - {name: chat, engine: llama.cpp, batcher: {policy: vllm_v1, max_num_batched_tokens: 512, max_num_seqs: 4}, )" +
                                    pool + "}\n");
  Recorder recorder(scenario.pools.size());
  const RunFacts facts = run_without_engine(scenario, recorder, {});
  return 1 / summarise(recorder, facts).latencies.tpot_s->mean;
}

std::string laptop(std::int64_t on_host) {
  return "llm: llama-2-7b, weights: fp16, gpu: rtx_4060_8g, host_layers: {device: i7_13650hx, layers: " +
         std::to_string(on_host) + "}";
}

// 13.5 GB do not fit into 8: with 16 layers on the CPU they do. Every layer more there is one that reads 0.4 GB at
// 50e9 bytes/s at best: at least 8.1 ms in place of 1.5.
TEST(Edge, LayersOnTheProcessorMakeRoomAndCostTime) {
  EXPECT_THROW(tokens_per_s("laptop", laptop(0)), UserError);
  double before = tokens_per_s("laptop", laptop(16));
  EXPECT_LT(before, 1 / (16 * 8.09e-3 + 16 * 1.49e-3)) << "no faster than its memories";
  for (const std::int64_t on_host : {20, 24, 28}) {
    const double now = tokens_per_s("laptop", laptop(on_host));
    EXPECT_LT(now, before);
    EXPECT_GT(1 / now - 1 / before, 4 * (8.09e-3 - 1.8e-3));
    before = now;
  }
}

// A phone of 100 TOPS decodes an 8B model in 4 bits as its memory allows: 4.5 GB a token at 85.3e9 bytes/s.
TEST(Edge, APhoneDecodesAsItsMemoryAllows) {
  const double now = tokens_per_s("phone", "llm: llama-3.1-8b, weights: int4, gpu: phone_100tops");
  EXPECT_LT(now, 85.3e9 / 4.5e9);
  EXPECT_GT(now, 0.6 * 85.3e9 / 4.5e9);
  RecordProperty("tokens_per_s", std::to_string(now));
}

}  // namespace servecast::edge_test
