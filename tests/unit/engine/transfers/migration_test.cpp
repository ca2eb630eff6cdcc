// Sequences that go to another replica while they decode.
#include "models/policy/migration.h"

#include <gtest/gtest.h>

#include <sstream>

#include "tests/unit/engine/scenario_text.h"
#include "tests/unit/engine/whole_runs.h"

namespace servecast::migration_test {

/// Random loads on scarce memory: every second one has constant steps and arrivals on multiples of half a step;
/// some have closed loops, clients that give up, samples, swapping, two stages, prompts computed elsewhere, and
/// routers and caches in turn. A slow network makes for several stages, and for sequences that are done before.
std::string random_scenario(std::uint64_t seed) {
  Rng rng(seed, "migration");
  const auto between = [&](std::uint64_t low, std::uint64_t high) {
    return std::to_string(low + rng.below(high - low + 1));
  };
  const std::vector<std::string> routers = Registry<Router>::names();
  const std::vector<std::string> caches{"paged", "paged_prefix", "radix", "paged_reserved"};
  const std::vector<std::string> batchers{"vllm_v1", "vllm_v0", "sarathi"};
  const std::string arrivals = seed % 5 == 0   ? "{closed_loop: {clients: " + between(20, 80) + "}}"
                               : seed % 2 == 0 ? std::string("{constant: {requests_per_s: 64}}")
                                               : "{gamma: {requests_per_s: " + between(20, 100) + ", cv: 2}}";
  std::string labels = seed % 4 == 1 ? "  client_timeout_s: " + between(1, 4) + "\n" : std::string();
  if (seed % 11 == 3) labels += "  samples: 2\n";
  const std::string cache = caches[seed % caches.size()];
  const std::string common = "    llm: llama-3.1-8b\n    gpu: h100_sxm_80g\n";
  const bool apart = seed % 6 == 5;
  const bool slow = seed % 7 < 4;
  std::string text =
      "seed: " + std::to_string(seed) + "\nworkload:\n" + labels +
      "  generate:\n    requests: 300\n    arrivals: " + arrivals +
      "\n    prompt_tokens: {exponential: {mean: " + between(100, 600) +
      "}, max: 4000}\n    output_tokens: {exponential: {mean: " + between(50, 150) + "}, max: 600}\n" +
      (slow ? "cluster: {node: desktop, nodes: 12}" : "cluster: {node: dgx_h100, nodes: 3, fabric: fat_tree}") +
      "\npools:\n";
  if (apart) text += "  - name: prefill\n" + common + "    placement: {policy: disaggregated, decode_pool: chat}\n";
  const std::vector<std::string> picking{"round_robin", "llumnix", "random"};
  text += "  - name: chat\n" + common + "    replicas: " + between(2, 5) +
          "\n    tensor_parallel: " + (seed % 3 == 0 && !slow ? "2" : "1") +
          "\n    pipeline_parallel: " + (seed % 4 == 3 ? "2" : "1") +
          "\n    batcher: {policy: " + batchers[seed % batchers.size()] + "}" + "\n    kv_cache: {policy: " + cache +
          ", num_gpu_blocks_override: " + between(400, 1200) +
          "}\n    preemption: {mode: " + (cache != "paged_reserved" && seed % 2 == 1 ? "swap" : "recompute") +
          "}\n    router: {policy: " + (apart ? picking[seed % 3] : routers[seed % routers.size()]) +
          "}\n    migration: {policy: llumnix, check_every_s: " + (seed % 2 == 0 ? "0.03125" : "0.05") +
          ", send_below_freeness: " + between(3, 30) + ", last_stage_blocks: " + between(1, 2) + "}\n";
  return text;
}

struct RandomRun {
  explicit RandomRun(std::uint64_t seed) : scenario(scenario_from(random_scenario(seed))) {
    if (seed % 2 == 0)
      for (Pool& pool : scenario.pools) pool.latency = std::make_unique<ConstantLatency>(pool.spec.pipeline_parallel);
  }
  Scenario scenario;
};

std::string run_random(std::uint64_t seed, bool step_by_step) {
  return in_child([&] {
    RandomRun run(seed);
    const Finished done = run_it(run.scenario, {.step_by_step = step_by_step});
    return told(done.recorder, done.facts);
  });
}

TEST(Migrations, StepByStepAndWithAllShortCuts) {
  for (std::uint64_t seed = 0; seed < 36; ++seed) {
    const std::string quick = run_random(seed, false);
    ASSERT_EQ(quick, run_random(seed, true)) << "seed " << seed;
    ASSERT_FALSE(quick.empty());
  }
}

TEST(Migrations, MoveManyAndLoseNobody) {
  std::int64_t moved = 0;
  std::int64_t aborted = 0;
  for (std::uint64_t seed = 0; seed < 36; ++seed) {
    const std::string text = in_child([&]() -> std::string {
      RandomRun run(seed);
      const Finished done = run_it(run.scenario);
      if (done.recorder.requests().size() != 300) return fmt::format("{} records", done.recorder.requests().size());
      for (const RequestRecord& r : done.recorder.requests())
        if (r.status == RequestStatus::unfinished) return fmt::format("{} is unfinished", index(r.id));
      const PoolRecord& pool = done.recorder.pools().back();
      return fmt::format("{} {}", pool.migration_pause_s.count(), pool.migrations_aborted);
    });
    std::istringstream counts(text);
    std::int64_t m = 0;
    std::int64_t a = 0;
    ASSERT_TRUE(counts >> m >> a) << text << ", seed " << seed;
    moved += m;
    aborted += a;
  }
  EXPECT_GT(moved, 400);  // routers take turns by seed, so another one shifts the loads
  EXPECT_GT(aborted, 5);
  RecordProperty("moved", std::to_string(moved));
  RecordProperty("aborted", std::to_string(aborted));
}

/// By turns, two long requests go to replica 0 and a short one between them to replica 1. Every step takes 1/32 s.
std::string two_replicas(const std::string& migration) {
  return in_child([&] {
    Scenario scenario = scenario_from(R"(
workload:
  mix:
    - generate: {requests: 1, arrivals: {constant: {requests_per_s: 1}}, prompt_tokens: {fixed: 160}, output_tokens: {fixed: 400}}
    - generate: {requests: 1, arrivals: {constant: {requests_per_s: 1}}, prompt_tokens: {fixed: 16}, output_tokens: {fixed: 2}}
    - generate: {requests: 1, arrivals: {constant: {requests_per_s: 1}}, prompt_tokens: {fixed: 176}, output_tokens: {fixed: 400}}
cluster: {node: pcie_server_4}
pools:
  - {name: chat, llm: llama-3.1-8b, gpu: a100_pcie_80g, engine: none, replicas: 2, router: {policy: round_robin},
     kv_cache: {policy: paged, num_gpu_blocks_override: 100}, migration: )" +
                                      migration + "}\n");
    scenario.pools[0].latency = std::make_unique<ConstantLatency>(1);
    const Finished done = run_it(scenario);
    const RequestRecord& r = done.recorder.requests()[0];
    const PoolRecord& pool = done.recorder.pools()[0];
    const auto pause_s = pool.migration_pause_s.statistics();
    return fmt::format("{:.9f} {} {} {} {:.9f}", *r.finish_s,
                       r.decode_replica ? static_cast<int>(index(*r.decode_replica)) : -1,
                       pool.migration_pause_s.count(), pool.migration_bytes, pause_s ? pause_s->max : 0);
  });
}

// Both on replica 0 hold 10 + 11 blocks of prompt and fill one each per 16 steps. Below a freeness of 20, (100 -
// used) / 2, replica 0 has more than 60 blocks in use: from step 305 on, with 21 + 2 x 20. Then the shorter one, of
// 465 tokens, goes to replica 1, which is empty. Its 61 MB take 2.5 ms on a port of 24 GB/s, within a step: so there
// is one more stage, of the two tokens in the steps under way (scheduling is asynchronous). Their 256 KiB take 10.9
// us, behind 20 us of latency; the end is noticed within a microsecond.
TEST(Migrations, TheSequencePausesWhileItsLastTokensAreCopied) {
  std::istringstream stay(two_replicas("{policy: none}"));
  std::istringstream move(
      two_replicas("{policy: llumnix, check_every_s: 0.01, send_below_freeness: 20, last_stage_blocks: 16}"));
  double stayed_s = 0;
  double moved_s = 0;
  double pause_s = 0;
  double bytes = 0;
  int replica = 0;
  int count = 0;
  stay >> stayed_s >> replica >> count;
  EXPECT_EQ(replica, -1);
  EXPECT_EQ(count, 0);
  ASSERT_TRUE(move >> moved_s >> replica >> count >> bytes >> pause_s);
  EXPECT_EQ(replica, 1);
  EXPECT_EQ(count, 1);
  EXPECT_EQ(bytes, 465 * 131072);
  EXPECT_NEAR(pause_s, 20e-6 + 2 * 131072 / 24e9, 1e-6);
  EXPECT_NEAR(moved_s - stayed_s, pause_s, 1e-9);
}

}  // namespace servecast::migration_test
