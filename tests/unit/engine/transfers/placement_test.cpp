// Prefill and decode on different replicas, over the network in between.
#include <gtest/gtest.h>

#include <map>

#include "models/hw/memory/kv_shards.h"
#include "tests/unit/engine/scenario_text.h"
#include "tests/unit/engine/whole_runs.h"

namespace servecast::placement_test {

/// Gates that look at both pools, on some of the loads.
std::string admission_text(std::uint64_t seed) {
  const char* const gates[] = {"reject_by_stage", "early_reject", "early_reject_predicted, decode_s: 1"};
  if (seed % 4 != 2) return {};
  return std::string("\n    admission: {policy: ") + gates[seed / 4 % 3] + ", ttft_slo_s: 1, tbt_slo_s: 0.00" +
         std::to_string(5 + seed % 5) + "}";
}

std::string placement_text(const std::string& policy, std::uint64_t seed) {
  if (policy == "colocated") return "{policy: colocated}";
  if (policy == "dynamic_roles")
    return "{policy: dynamic_roles, prefill_replicas: " + std::to_string(1 + seed % 2) +
           ", check_every_s: 0.25, most_waiting_tokens: 1000, most_kv_fraction: 0." + std::to_string(1 + seed % 7) +
           "}";
  if (policy == "semi_pd")
    return "{policy: semi_pd, prefill_sm_fraction: 0." + std::to_string(30 + seed * 29 % 70) +
           (seed % 2 == 0 ? "}" : ", ttft_s: 0.1, tpot_s: 0.015, switch_s: 0.2}");
  std::string text = "{policy: " + policy + ", decode_pool: decode";
  const char* const transfers[] = {"pull", "push", "stream"};
  if (policy == "disaggregated")
    text += std::string(", transfer: ") + transfers[seed % 3] +
            (seed % 4 < 2 ? ", first_token: prefill" : ", first_token: decode");
  return text + "}";
}

// At 5 % of both errors, lists of layers take 0.61 times as long and bytes 0.81 times, though never less than the
// links themselves let them: 0.91 / 0.81 is more than their rate.
TEST(TransferTerms, DrawsAreNeverFasterThanTheLinks) {
  const TransferTerms terms{
      .layer_s = 1, .rate_fraction = 0.91, .layer_error = {.p05 = 0.61}, .rate_error = {.p05 = 0.81, .p95 = 1.23}};
  double slowest = 1;
  double fastest = 0;
  double least_layer_s = 1;
  for (std::uint64_t draw = 1; draw <= 200; ++draw) {
    Rng rng(draw, "transfers");
    const TransferTerms drawn = terms.drawn(1, rng);
    slowest = std::min(slowest, drawn.rate_fraction);
    fastest = std::max(fastest, drawn.rate_fraction);
    least_layer_s = std::min(least_layer_s, drawn.layer_s);
  }
  EXPECT_LT(slowest, 0.91 / 1.23);
  EXPECT_EQ(fastest, 1);
  EXPECT_LT(least_layer_s, 0.61);
  Rng rng(1, "transfers");
  EXPECT_EQ(terms.drawn(0, rng).layer_s, 1);
}

/// Whether it sends sequences from one replica to another.
bool sends(const std::string& policy) { return policy != "colocated" && policy != "semi_pd"; }

/// Random loads: every second one has constant steps and arrivals on multiples of half a step, every third scarce
/// decode memory, every fourth a second stage in one of the pools; some have closed loops, clients that give up,
/// samples, beams, swapping, and routers and caches in turn.
std::string random_scenario(const std::string& policy, std::uint64_t seed) {
  Rng rng(seed, policy);
  const auto between = [&](std::uint64_t low, std::uint64_t high) {
    return std::to_string(low + rng.below(high - low + 1));
  };
  const std::vector<std::string> routers = Registry<Router>::names();
  std::vector<std::string> decode_routers = routers;
  std::erase_if(decode_routers, [](const std::string& name) { return !Choice<Router>(name).make()->only_picks(); });
  const std::vector<std::string> caches{"paged", "paged_prefix", "paged_reserved"};
  const std::string arrivals = seed % 5 == 0   ? "{closed_loop: {clients: " + between(5, 60) + "}}"
                               : seed % 2 == 0 ? std::string("{constant: {requests_per_s: 64}}")
                                               : "{gamma: {requests_per_s: " + between(20, 100) + ", cv: 2}}";
  std::string labels = seed % 4 == 1 ? "  client_timeout_s: " + between(1, 4) + "\n" : std::string();
  if (seed % 11 == 3) labels += "  samples: 3\n";
  if (seed % 11 == 6) labels += "  beam_width: 4\n";
  const std::string cache = caches[seed % caches.size()];
  const std::string common = "    llm: llama-3.1-8b\n    gpu: h100_sxm_80g\n";
  return "seed: " + std::to_string(seed) + "\nworkload:\n" + labels +
         "  generate:\n    requests: 300\n    arrivals: " + arrivals +
         "\n    prompt_tokens: {exponential: {mean: " + between(100, 1500) +
         "}, max: 5000}\n    output_tokens: {exponential: {mean: " + between(5, 100) + "}, max: 400}\n" +
         "cluster: {node: dgx_h100, nodes: 3, fabric: fat_tree}\npools:\n  - name: prefill\n" + common +
         "    replicas: 3\n    tensor_parallel: 2\n    pipeline_parallel: " +
         (seed % 4 == 2 && policy != "semi_pd" ? "2" : "1") + "\n    kv_cache: {policy: " + cache +
         ", num_gpu_blocks_override: " + (seed % 6 == 1 ? "700" : "9000") +
         "}\n    router: {policy: " + routers[seed % routers.size()] +
         "}\n    placement: " + placement_text(policy, seed) + admission_text(seed) + "\n  - name: decode\n" +
         common + "    replicas: 2\n    tensor_parallel: " + (seed % 3 == 0 ? "4" : "1") +
         "\n    pipeline_parallel: " + (seed % 4 == 3 ? "2" : "1") + "\n    kv_cache: {policy: " + cache +
         ", num_gpu_blocks_override: " + (seed % 3 == 0 ? between(700, 1200) : std::string("5000")) +
         "}\n    preemption: {mode: " + (cache != "paged_reserved" && seed % 2 == 1 ? "swap" : "recompute") +
         "}\n    router: {policy: " + decode_routers[(seed + 3) % decode_routers.size()] + "}\n";
}

std::string run_random(const std::string& policy, std::uint64_t seed, bool step_by_step) {
  return in_child([&] {
    Scenario scenario = scenario_from(random_scenario(policy, seed));
    if (seed % 2 == 0)
      for (Pool& pool : scenario.pools) pool.latency = std::make_unique<ConstantLatency>(pool.spec.pipeline_parallel);
    const Finished done = run_it(scenario, {.step_by_step = step_by_step});
    return told(done.recorder, done.facts);
  });
}

class AnyPlacement : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(All, AnyPlacement, testing::ValuesIn(Registry<Placement>::names()),
                         [](const auto& policy) { return policy.param; });

TEST_P(AnyPlacement, StepByStepAndWithAllShortCuts) {
  for (std::uint64_t seed = 0; seed < 24; ++seed) {
    const std::string quick = run_random(GetParam(), seed, false);
    ASSERT_EQ(quick, run_random(GetParam(), seed, true)) << "seed " << seed;
    ASSERT_FALSE(quick.empty());
  }
}

TEST_P(AnyPlacement, EveryRequestIsToldOnceAndServed) {
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    const std::string error = in_child([&]() -> std::string {
      Scenario scenario = scenario_from(random_scenario(GetParam(), seed));
      const Finished done = run_it(scenario);
      if (done.recorder.requests().size() != 300) return fmt::format("{} records", done.recorder.requests().size());
      for (const RequestRecord& r : done.recorder.requests()) {
        const bool moved = r.decode_replica.has_value();
        if (r.status == RequestStatus::unfinished) return fmt::format("{} is unfinished", index(r.id));
        if (r.status != RequestStatus::completed) continue;
        if (moved != (sends(GetParam()) && r.output_tokens > 1)) return fmt::format("{} moved?", index(r.id));
        if (moved && !(*r.hand_over_s > 0)) return fmt::format("{} moved in no time", index(r.id));
        if (moved && !(*r.finish_s > *r.prompt_end_s + *r.hand_over_s)) return fmt::format("{} early", index(r.id));
        if (moved && *r.first_token_s < *r.prompt_end_s) return fmt::format("{} before its prompt", index(r.id));
      }
      return {};
    });
    EXPECT_EQ(error, "") << "seed " << seed;
  }
}

/// One request of 1,000 prompt and 2 output tokens, between GPUs of two nodes.
Finished one_request(const std::string& placement, std::unique_ptr<Scenario>& scenario) {
  scenario = std::make_unique<Scenario>(scenario_from(R"(
workload:
  generate:
    requests: 1
    arrivals: {constant: {requests_per_s: 1}}
    prompt_tokens: {fixed: 1000}
    output_tokens: {fixed: 2}
cluster: {node: dgx_h100, nodes: 2}
pools:
  - {name: prefill, llm: llama-3.1-8b, gpu: h100_sxm_80g, replicas: 8, placement: )" +
                                                      placement + R"(}
  - {name: decode, llm: llama-3.1-8b, gpu: h100_sxm_80g}
)"));
  return run_it(*scenario);
}

// 1,000 tokens of 128 KiB, in bf16: 131,072,000 bytes. The narrowest link is the NDR port: 50e9 x 0.94 bytes/s. Two
// adapters and one switch: 10 us + 0.13 us. The end is noticed within a microsecond.
TEST(HandOver, ThePulledKvTakesLatencyPlusBytesOverBandwidth) {
  std::unique_ptr<Scenario> scenario;
  const Finished done = one_request("{policy: disaggregated, decode_pool: decode}", scenario);
  const RequestRecord& r = done.recorder.requests()[0];
  EXPECT_NEAR(*r.hand_over_s, 10.13e-6 + 131'072'000 / 47e9, 1e-6);
  EXPECT_EQ(index(*r.decode_replica), 8u);
  // Both replicas are idle otherwise, and both tokens have the same way to the client.
  const double decode_s =
      scenario->pools[1]
          .latency->stage({.decode_sequences = 1, .decode_kv_tokens = 1001, .emitted_tokens = 1}, 0)
          .seconds;
  EXPECT_NEAR(*r.finish_s - *r.prompt_end_s, *r.hand_over_s + decode_s, 1e-12);
  EXPECT_NEAR(*r.finish_s - *r.first_token_s, decode_s, 1e-12);
  EXPECT_EQ(done.recorder.pools()[0].hand_over_bytes, 131'072'000);
}

// DistServe's TTFT: the KV's way and the decoding replica's queue are time between tokens.
TEST(HandOver, TheFirstTokenCanBeThatOfThePrefillingReplica) {
  std::unique_ptr<Scenario> scenario;
  const Finished done = one_request("{policy: disaggregated, decode_pool: decode, first_token: prefill}", scenario);
  const RequestRecord& r = done.recorder.requests()[0];
  EXPECT_EQ(*r.first_token_s, *r.prompt_end_s);
}

// Two requests at once, and one place to decode in: the second one's client waits for its first token until the first
// request is done.
TEST(HandOver, AClientWaitsForItsFirstTokenWhereTheDecodingReplicaIsFull) {
  Scenario scenario = scenario_from(R"(
workload:
  generate:
    requests: 2
    arrivals: {constant: {requests_per_s: 1e6}}
    prompt_tokens: {fixed: 1000}
    output_tokens: {fixed: 50}
cluster: {node: dgx_h100}
pools:
  - {name: prefill, llm: llama-3.1-8b, gpu: h100_sxm_80g, placement: {policy: disaggregated, decode_pool: decode}}
  - {name: decode, llm: llama-3.1-8b, gpu: h100_sxm_80g, batcher: {policy: vllm_v1, max_num_seqs: 1}}
)");
  const Finished done = run_it(scenario);
  const RequestRecord& first = done.recorder.requests()[0];
  const RequestRecord& second = done.recorder.requests()[1];
  EXPECT_LT(*second.prompt_end_s, *first.finish_s - 0.1);
  EXPECT_GE(*second.first_token_s, *first.finish_s);
}

// Of 32 layers, 31 are there before the last one is computed.
TEST(HandOver, OfAStreamedPromptOnlyTheLastLayerIsWaitedFor) {
  std::unique_ptr<Scenario> scenario;
  const Finished done = one_request("{policy: mooncake, decode_pool: decode}", scenario);
  EXPECT_NEAR(*done.recorder.requests()[0].hand_over_s, 10.13e-6 + 131'072'000 / 32 / 47e9, 1e-6);
  EXPECT_NEAR(done.recorder.pools()[0].hand_over_bytes, 131'072'000, 1);
}

TEST(HandOver, SplitwiseAddsItsSetUp) {
  std::unique_ptr<Scenario> scenario;
  const Finished done = one_request("{policy: splitwise, decode_pool: decode}", scenario);
  EXPECT_NEAR(*done.recorder.requests()[0].hand_over_s, 5e-3 + 10.13e-6 + 131'072'000 / 32 / 47e9, 1e-6);
}

// Chunks of 2,048 tokens of one long prompt in four stages: without the pipeline one after the other through all of
// them, n x 4 stage times; with it n + 3.
TEST(HandOver, ChunksOfAPromptPipeline) {
  const auto prompt_end_s = [](const std::string& policy) {
    const std::string text = in_child([&] {
      Scenario scenario = scenario_from(R"(
workload:
  generate:
    requests: 1
    arrivals: {constant: {requests_per_s: 1}}
    prompt_tokens: {fixed: 16384}
    output_tokens: {fixed: 2}
cluster: {node: dgx_h100}
pools:
  - {name: prefill, llm: llama-3.1-8b, gpu: h100_sxm_80g, pipeline_parallel: 4, engine: none,
     placement: {policy: )" + policy + R"(, decode_pool: decode}}
  - {name: decode, llm: llama-3.1-8b, gpu: h100_sxm_80g, engine: none}
)");
      scenario.pools[0].latency = std::make_unique<ConstantLatency>(4);
      return fmt::format("{}", *run_it(scenario).recorder.requests()[0].prompt_end_s);
    });
    return std::stod(text);
  };
  const double stage_s = 1.0 / 32 / 4;
  EXPECT_NEAR(prompt_end_s("disaggregated"), 8 * 4 * stage_s, 1e-9);
  EXPECT_NEAR(prompt_end_s("mooncake"), (8 + 3) * stage_s, 1e-9);
}

/// A few short requests, and next to them on the same network port a load of long prompts that stay where they are or
/// are handed over. Returns the P99 of the time between the first and the second token of the short ones.
double neighbour_p99_s(const std::string& placement_of_the_long) {
  const std::string text = in_child([&] {
    Scenario scenario = scenario_from(R"(
workload:
  mix:
    - pool: quiet
      generate:
        requests: 600
        arrivals: {poisson: {requests_per_s: 6}}
        prompt_tokens: {fixed: 300}
        output_tokens: {fixed: 2}
    - pool: storm
      generate:
        requests: 500
        arrivals: {poisson: {requests_per_s: 5}}
        prompt_tokens: {fixed: 8000}
        output_tokens: {fixed: 2}
cluster: {node: pcie_server_4, nodes: 2}
pools:
  - {name: storm, llm: llama-3.1-8b, gpu: a100_pcie_80g, replicas: 3, placement: )" +
                                      placement_of_the_long + R"(}
  - {name: quiet, llm: llama-3.1-8b, gpu: a100_pcie_80g, 
     placement: {policy: disaggregated, decode_pool: quiet_decode, first_token: prefill}}
  - {name: storm_decode, llm: llama-3.1-8b, gpu: a100_pcie_80g, replicas: 3}
  - {name: quiet_decode, llm: llama-3.1-8b, gpu: a100_pcie_80g}
)");
    const Finished done = run_it(scenario);
    std::vector<double> gaps_s;
    for (const RequestRecord& r : done.recorder.requests())
      if (index(r.pool) == 1) gaps_s.push_back(*r.finish_s - *r.first_token_s);
    std::ranges::sort(gaps_s);
    return fmt::format("{}", gaps_s[gaps_s.size() * 99 / 100]);
  });
  return std::stod(text);
}

// 300 tokens are 39 MB, alone on the 12.5 GB/s port 3.3 ms; a long prompt's 1.05 GB takes 89 ms, and while it does
// the short one gets half of the port, or less. Nothing else is shared: the short ones have replicas of their own.
TEST(HandOver, AStormMovesTheP99OfANeighbourOnTheSamePort) {
  const double calm_s = neighbour_p99_s("{policy: colocated}");
  const double stormy_s = neighbour_p99_s("{policy: disaggregated, decode_pool: storm_decode}");
  EXPECT_GT(stormy_s, calm_s + 0.003);
  EXPECT_LT(stormy_s, calm_s + 0.03);
}

/// P99 of the time between tokens of the shipped scenario, its pools as given.
Summary shipped(const std::vector<Override>& overrides) {
  const std::string text = in_child([&] {
    Scenario scenario = load_scenario(SERVECAST_SOURCE_DIR "/scenarios/disaggregated.yaml", overrides);
    const Finished done = run_it(scenario);
    return to_json(summarise(done.recorder, done.facts));
  });
  const auto file = std::filesystem::temp_directory_path() / ("servecast-placement-" + std::to_string(getpid()));
  std::ofstream(file) << text;
  Summary summary = read_summary(file.string());
  std::filesystem::remove(file);
  return summary;
}

// The same 16 GPUs both ways: with prompts elsewhere, no token waits for one. Of the KV, 320 KiB per token (80
// layers, 8 heads of 128, bf16) move, and 2,000 requests less those of a single output token.
TEST(HandOver, TheShippedScenarioHasSteadierTokensThanColocation) {
  const Summary apart = shipped({});
  const Summary together = shipped({{"pools[0].placement", "{policy: colocated}"},
                                    {"pools[1].router", "{}"},
                                    {"workload.generate.arrivals.poisson.requests_per_s", "3"}});
  EXPECT_EQ(apart.requests.completed, 2000);
  ASSERT_EQ(apart.hand_overs.size(), 1u);
  EXPECT_GT(apart.hand_overs[0].requests, 1900);
  const double tokens = apart.hand_overs[0].bytes / (320 * 1024);
  EXPECT_NEAR(tokens, apart.prompt_tokens_per_s * apart.duration_s, 0.02 * tokens);
  // Two colocated replicas with half of the load, as each of four would have.
  EXPECT_LT(apart.itl_s->p99, 0.5 * together.itl_s->p99);
  EXPECT_TRUE(apart.slo.met());
  EXPECT_LT(apart.hand_overs[0].hand_over_s->p99, 0.05);
}

}  // namespace servecast::placement_test
