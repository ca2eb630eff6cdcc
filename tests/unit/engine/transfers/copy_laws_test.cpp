// Every user of the law of copies, each by hand: 100 us to start one, 10 GB/s, 1 us for each further piece.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "sim/engine/links/transfer_routes.h"
#include "sim/engine/links/wiring.h"
#include "sim/engine/transfers/weight_loads.h"
#include "sim/report/summary/summary.h"
#include "tests/unit/engine/flows_seen.h"
#include "tests/unit/engine/scenario_text.h"
#include "tests/unit/in_child.h"

namespace servecast::copy_laws_test {

constexpr double start_s = 100e-6;
constexpr double bytes_per_s = 10e9;
constexpr double piece_s = 1e-6;

TransferLaw made_up(const char* op) {
  return {.op = op, .start_s = start_s, .bytes_per_s = bytes_per_s, .piece_s = piece_s, .basis = "measured"};
}

void measure(Scenario& scenario) {
  for (Pool& pool : scenario.pools)
    pool.transfers = {.h2d = made_up("h2d"), .d2h = made_up("d2h"), .peer = made_up("p2p")};
}

const std::string head = R"(
workload: {generate: {requests: 1, arrivals: {constant: {requests_per_s: 1}}, prompt_tokens: {fixed: 16}, output_tokens: {fixed: 4}}}
)";

Scenario chat(const std::string& more) {
  Scenario scenario = scenario_from(head + R"(
cluster: {node: dgx_h100}
pools:
  - {name: chat, llm: llama-3.1-8b, gpu: h100_sxm_80g, engine: none, replicas: 2, )" +
                                    more + "}\n");
  measure(scenario);
  return scenario;
}

// 1,600 tokens of 128 KiB (but for what rounds the pool of KV to whole tokens) are 100 blocks, 99 of them after the
// first: 209.7 MB in 20.97 ms, and 99 us between blocks.
TEST(CopyLaws, AFetchFromAKvTierPaysForItsBlocks) {
  const Scenario scenario =
      chat("kv_cache: {policy: paged_prefix}, kv_tiers: {levels: [{kind: host, capacity_bytes: 50e9}]}");
  const Wiring wiring(scenario);
  const TransferRoutes routes(scenario, wiring);
  const double seconds = routes.alone_s(routes.at(ReplicaId{0}), KvFetch{.sources = {{.tokens = 1600}}});
  EXPECT_NEAR(seconds, start_s + 1600 * 131072 / bytes_per_s + 99 * piece_s, 1e-7);
}

// Layer by layer, each of 32 layers of each block is a piece: 3,199 further ones.
TEST(CopyLaws, LayerByLayerAFetchHasMorePieces) {
  const Scenario scenario = chat(
      "kv_cache: {policy: paged_prefix}, kv_tiers: {layer_wise: true, levels: [{kind: host, capacity_bytes: 50e9}]}");
  const Wiring wiring(scenario);
  const TransferRoutes routes(scenario, wiring);
  const double seconds = routes.alone_s(routes.at(ReplicaId{0}), KvFetch{.sources = {{.tokens = 1600}}});
  EXPECT_NEAR(seconds, start_s + 1600 * 131072 / bytes_per_s + 3199 * piece_s, 1e-7);
}

/// A made-up step takes 1 s: what is measured is what a transfer adds.
const std::string offload = head + R"(
cluster: {node: pcie_server_1}
pools:
  - name: chat
    llm: mixtral-8x7b
    gpu: a100_pcie_80g
    engine: none
    batcher: {policy: vllm_v1, async_scheduling: false}
    expert_offload: {slots_per_layer: 2, streams: )";

// An expert of Mixtral has 3 x 4096 x 14336 weights of 2 bytes, 352.3 MB: 35.2 ms, and 0.1 ms to start.
TEST(CopyLaws, AnExpertLoadWaitsForItsStart) {
  Scenario scenario = scenario_from(offload + "1}\n");
  measure(scenario);
  const Wiring wiring(scenario);
  const TransferRoutes routes(scenario, wiring);
  constexpr double expert_bytes = 3.0 * 4096 * 14336 * 2;
  const double seconds =
      routes.alone_s(routes.at(ReplicaId{0}), ExpertLoad{.bytes = expert_bytes, .start_s = start_s});
  EXPECT_NEAR(seconds, start_s + expert_bytes / bytes_per_s, 1e-9);
}

/// Mean time per output token, in closed form or as flows.
double tpot_s(const std::string& streams, bool with_engine) {
  return std::stod(in_child([&] {
    Scenario scenario = scenario_from(offload + streams + "}\n");
    measure(scenario);
    Recorder recorder(scenario.pools.size());
    const RunFacts facts = with_engine ? run(scenario, recorder, {}) : run_without_engine(scenario, recorder, {});
    return fmt::format("{}", summarise(recorder, facts).latencies.tpot_s->mean);
  }));
}

// Loads one behind the other start one behind the other, by the replica's own sums as over SimGrid's links.
TEST(CopyLaws, ExpertLoadsInClosedFormTakeAsLongAsFlows) {
  for (const char* streams : {"1", "2"}) EXPECT_NEAR(tpot_s(streams, true) / tpot_s(streams, false), 1, 2e-3);
}

// 8 billion parameters in 16.06 GB: 1.6 s, and 0.1 ms to start after what the network takes.
TEST(CopyLaws, WeightsComeOverTheSameLaw) {
  Scenario scenario = chat("memory: {}");
  const Wiring wiring(scenario);
  const Part gpu{.kind = Part::Kind::gpu, .place = scenario.pools[0].places[0].gpus[0]};
  const Transfer load = wiring.transfer("weight_load", {.kind = Part::Kind::storage}, gpu, {.bytes = 16.06e9});
  EXPECT_EQ(load.basis, "measured");
  EXPECT_EQ(load.bytes, 16.06e9);
  EXPECT_NEAR(load.path.latency_s, wiring.load_path(gpu.place).latency_s + start_s, 1e-12);
  EXPECT_EQ(wiring.platform().links[load.path.links.back()].bytes_per_s, bytes_per_s);
}

// 64 tokens of 128 KiB to the GPU beside it, over NVLink: 8.4 MB in 0.84 ms, and 0.1 ms to start behind its latency.
TEST(CopyLaws, AMigrationGoesByTheCopiesBetweenGpus) {
  Scenario scenario = chat("memory: {}");
  const Wiring wiring(scenario);
  const GpuPlace& from = scenario.pools[0].places[0].gpus[0];
  const GpuPlace& to = scenario.pools[0].places[1].gpus[0];
  const Transfer copy = wiring.transfer("migration", {.place = from}, {.place = to}, {.bytes = 64.0 * 131072});
  EXPECT_EQ(copy.bytes, 64.0 * 131072);
  EXPECT_NEAR(copy.path.latency_s, wiring.peer_path(from, to).latency_s + start_s, 1e-12);
  for (const std::size_t link : copy.path.links) EXPECT_EQ(wiring.platform().links[link].bytes_per_s, bytes_per_s);
}

// One block of 16 tokens has 2 MiB on its one GPU; keys and values of 32 layers are 64 pieces: 0.21 ms, 63 us between
// them, and 0.1 ms to start.
TEST(CopyLaws, ASwapPaysForKeysAndValuesOfEveryLayer) {
  const SwapSpace swap{
      .blocks = 10, .block = {.bytes = 16 * 131072, .pieces = 64}, .out = made_up("d2h"), .in = made_up("h2d")};
  EXPECT_NEAR(swap.out_s(1), start_s + 16 * 131072 / bytes_per_s + 63 * piece_s, 1e-12);
  EXPECT_NEAR(swap.in_s(3), start_s + 3 * 16 * 131072 / bytes_per_s + 191 * piece_s, 1e-12);
}

}  // namespace servecast::copy_laws_test
