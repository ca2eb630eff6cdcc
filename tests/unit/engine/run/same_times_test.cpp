// The engine orders events and nothing else, and looking changes nothing: SimGrid with every step put before it and
// every detail asked for gives the same times, bit for bit, as a plain loop over the simulation with all short cuts.
#include <gtest/gtest.h>

#include "sim/report/record/series.h"
#include "sim/report/summary/summary.h"
#include "tests/unit/engine/scenario_text.h"
#include "tests/unit/engine/whole_runs.h"

namespace servecast::same_times_test {

/// Such that some are taken on and some are not.
std::string gate_settings(const std::string& gate) {
  if (gate == "token_bucket") return ", rate_per_s: 20, burst: 100";
  if (gate == "queue_limit") return ", max_waiting_requests: 20";
  if (gate == "early_reject") return ", ttft_slo_s: 2";
  if (gate == "early_reject_predicted") return ", ttft_slo_s: 2, decode_s: 1";
  return "";
}

/// What the sequences of a load do beside making one token a step.
std::string speculation(std::uint64_t seed) {
  if (seed % 5 == 4)
    return std::string("\n    early_exit: {policy: ") +
           (seed % 2 == 0 ? "spec_ee, mean_layers: 23" : "layer_skip, num_speculative_tokens: 3") + "}";
  if (seed % 5 != 2) return "";
  const std::vector<std::string> kinds = Registry<Speculation>::names();
  const std::string kind = kinds[seed / 5 % kinds.size()];
  if (kind == "none") return "";
  const std::string llm = kind == "draft_model" ? ", llm: llama-3.1-8b" : "";
  const std::string length = seed % 2 == 0 ? "goodput" : "fixed";
  return "\n    speculative: {policy: " + kind + llm + ", num_speculative_tokens: 2, length: " + length + "}";
}

/// Random loads: batcher and router by name, the rest drawn from the seed. Every second load has constant steps and
/// arrivals on multiples of half a step, so that arrivals meet step boundaries; every third has a scarce KV cache;
/// every fifth is a closed loop; every seventh has two pipeline stages; three in four have a way
/// to the engine and back. Queues take turns; some loads have clients
/// that give up, several samples or beams, and preemption by swapping. Half of the loads share beginnings of prompts;
/// gates take turns; on one in three load is seen late. On one in five sequences speculate, in turn with each kind of
/// drafter, every second time with a length that follows the load; on another
/// one in five tokens leave early, or the first layers draft.
std::string random_scenario(const std::string& batcher, const std::string& router, std::uint64_t seed) {
  Rng rng(seed, batcher + router);
  const auto between = [&](std::uint64_t low, std::uint64_t high) {
    return std::to_string(low + rng.below(high - low + 1));
  };
  const bool ties = seed % 2 == 0;
  const std::string arrivals = seed % 5 == 0 ? "{closed_loop: {clients: " + between(2, 40) + "}}"
                               : ties        ? std::string("{constant: {requests_per_s: 64}}")
                                             : "{gamma: {requests_per_s: " + between(20, 120) + ", cv: 2}}";
  const std::vector<std::string> queues = Registry<WaitingQueue>::names();
  const std::vector<std::string> caches = Registry<KvCache>::names();
  const std::string blocks = seed % 3 == 0 ? between(180, 260) : std::string("5000");
  std::string labels = seed % 4 == 1 ? "  client_timeout_s: " + between(2, 6) + "\n" : std::string();
  if (seed % 11 == 3) labels += "  samples: 3\n";
  if (seed % 11 == 6) labels += "  beam_width: 4\n";
  const std::string cache = caches[seed % caches.size()];
  const bool grows = Registry<KvCache>::all().at(cache).prepare()->make()->growth_tokens() > 0;
  const std::string preemption = grows && seed % 2 == 1 ? "swap" : "recompute";
  const std::string shared = seed % 2 == 1 ? "\n    system_prompts: {count: 6, tokens: 256}" : "";
  const std::vector<std::string> gates = Registry<Admission>::names();
  const std::string gate = gates[seed / 3 % gates.size()];
  const bool looks = Registry<Router>::all().at(router).prepare()->make()->reads_state();
  const std::string late = looks && seed % 3 == 1 ? "\n    signal_delay_s: 0.3" : "";
  std::string text = "name: " + batcher + " " + router + "\nseed: " + std::to_string(seed) + R"(
workload:
)" + labels + R"(  generate:
    requests: 700
    arrivals: )" + arrivals +
                     R"(
    prompt_tokens: {exponential: {mean: )" +
                     between(50, 700) + R"(}, max: 1900}
    output_tokens: {exponential: {mean: )" +
                     between(5, 120) + R"(}, max: 400})" + shared + R"(
cluster: {node: dgx_h100}
pools:
  - name: chat
    llm: llama-3.1-8b
    gpu: h100_sxm_80g
    replicas: 3
    engine: )" + (seed % 4 == 0 ? "none" : "vllm-0.15") +
                     R"(
    pipeline_parallel: )" +
                     (seed % 7 == 0 ? "2" : "1") + R"(
    batcher: {policy: )" +
                     batcher + R"(}
    kv_cache: {policy: )" +
                     cache + R"(, num_gpu_blocks_override: )" + blocks + R"(}
    queue: {policy: )" +
                     queues[seed / 2 % queues.size()] + R"(}
    preemption: {mode: )" +
                     preemption + R"(}
    router: {policy: )" +
                     router + "}\n    admission: {policy: " + gate + gate_settings(gate) + "}" + late +
                     speculation(seed) + "\n";
  return text;
}

Scenario load(const std::string& text, bool ties) {
  Scenario scenario = scenario_from(text);
  if (ties) scenario.pools[0].latency = std::make_unique<ConstantLatency>(scenario.pools[0].spec.pipeline_parallel);
  return scenario;
}

struct Everything final : DetailListener {
  bool wants_step(double) override { return true; }
  bool wants_replicas() override { return true; }
};

/// Half of the runs have more requests than are kept for exact percentiles.
KeepRequests keep(std::uint64_t seed) { return {.exact_up_to = seed % 4 < 2 ? 300 : 1000}; }

class SameTimes : public testing::TestWithParam<std::tuple<std::string, std::string>> {};
INSTANTIATE_TEST_SUITE_P(All, SameTimes,
                         testing::Combine(testing::ValuesIn(Registry<Batcher>::names()),
                                          testing::ValuesIn(Registry<Router>::names())),
                         [](const auto& policies) {
                           return std::get<0>(policies.param) + "_" + std::get<1>(policies.param);
                         });

// The engine can run once per process, so one seed per pair of policies goes through SimGrid; the other seeds compare
// the two ways through the simulation alone.
TEST_P(SameTimes, StepByStepThroughTheEngineAndWithAllShortCuts) {
  const auto& [batcher, router] = GetParam();
  const std::uint64_t first = Rng(1, batcher + "/" + router).below(200);
  for (std::uint64_t seed = first; seed < first + 6; ++seed) {
    const std::string text = random_scenario(batcher, router, seed);
    Everything everything;
    Scenario slow = load(text, seed % 2 == 0);
    Recorder slow_recorder(1, keep(seed));
    const RunOptions step_by_step{.detail = &everything, .step_by_step = true};
    const RunFacts slow_facts = seed == first ? run(slow, slow_recorder, step_by_step)
                                              : run_without_engine(slow, slow_recorder, step_by_step);

    Scenario quick = load(text, seed % 2 == 0);
    Recorder quick_recorder(1, keep(seed));
    const RunFacts quick_facts = run_without_engine(quick, quick_recorder, {});

    ASSERT_EQ(slow_recorder.requests().size(), quick_recorder.requests().size());
    for (std::size_t i = 0; i < quick_recorder.requests().size(); ++i) {
      const RequestRecord& a = slow_recorder.requests()[i];
      const RequestRecord& b = quick_recorder.requests()[i];
      ASSERT_EQ(std::tie(a.arrival_s, a.replica, a.scheduled_s, a.first_token_s, a.finish_s, a.preemptions, a.status),
                std::tie(b.arrival_s, b.replica, b.scheduled_s, b.first_token_s, b.finish_s, b.preemptions, b.status))
          << "request " << i << " of seed " << seed;
      ASSERT_NE(a.status, RequestStatus::unfinished) << "request " << i << " of seed " << seed;
    }
    ASSERT_EQ(to_json(summarise(slow_recorder, slow_facts)), to_json(summarise(quick_recorder, quick_facts)));
    ASSERT_EQ(make_series(slow_recorder, slow_facts), make_series(quick_recorder, quick_facts)) << "seed " << seed;
  }
}

}  // namespace servecast::same_times_test
