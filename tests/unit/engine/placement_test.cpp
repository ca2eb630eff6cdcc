// Prefill and decode on different replicas, over the network in between.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <map>

#include "models/hw/kv_shards.h"
#include "sim/report/summary.h"
#include "tests/unit/engine/scenario_text.h"

namespace servecast {
namespace {

/// Every step takes 1/32 s.
class ConstantLatency final : public StepLatency {
 public:
  explicit ConstantLatency(std::int64_t stages) : stages_(stages) {}
  std::int64_t stages() const override { return stages_; }
  StageTime stage(const StepWork&, std::int64_t) const override {
    return {.seconds = 1.0 / 32 / static_cast<double>(stages_)};
  }

 private:
  std::int64_t stages_;
};

std::string bits(std::optional<double> value) { return value ? fmt::format("{:a}", *value) : "-"; }

/// Everything that a run says, every bit of it.
std::string told(const Recorder& recorder, const RunFacts& facts) {
  std::string text = to_json(summarise(recorder, facts));
  for (const RequestRecord& r : recorder.requests())
    text += fmt::format("{} {} {} {} {} {} {} {} {} {} {} {}\n", index(r.id), bits(r.arrival_s), bits(r.scheduled_s),
                        bits(r.first_token_s), bits(r.finish_s), r.output_tokens, r.cached_tokens, index(r.replica),
                        r.decode_replica ? static_cast<int>(index(*r.decode_replica)) : -1, bits(r.hand_over_s),
                        r.preemptions, static_cast<int>(r.status));
  return text;
}

/// The engine can run once per process, so each run has one of its own.
std::string in_child(const std::function<std::string()>& work) {
  int ends[2];
  if (pipe(ends) != 0) std::abort();
  const pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    const std::string text = work();
    for (std::size_t at = 0; at < text.size();) {
      const ssize_t written = write(ends[1], text.data() + at, text.size() - at);
      if (written < 0) std::abort();
      at += static_cast<std::size_t>(written);
    }
    _exit(0);
  }
  close(ends[1]);
  std::string text;
  char buffer[65536];
  for (ssize_t got = 0; (got = read(ends[0], buffer, sizeof buffer)) > 0;)
    text.append(buffer, static_cast<std::size_t>(got));
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  return text;
}

std::string placement_text(const std::string& policy, std::uint64_t seed) {
  if (policy == "colocated") return "{policy: colocated}";
  std::string text = "{policy: " + policy + ", decode_pool: decode";
  const char* const transfers[] = {"pull", "push", "stream"};
  if (policy == "disaggregated") text += std::string(", transfer: ") + transfers[seed % 3];
  return text + "}";
}

/// Random loads: every second one has constant steps and arrivals on multiples of half a step, every third scarce
/// decode memory, every fourth a second stage in one of the pools; some have closed loops, clients that give up,
/// samples, beams, swapping, and routers and caches in turn.
std::string random_scenario(const std::string& policy, std::uint64_t seed) {
  Rng rng(seed, policy);
  const auto between = [&](std::uint64_t low, std::uint64_t high) {
    return std::to_string(low + rng.below(high - low + 1));
  };
  const std::vector<std::string> routers = Registry<Router>::names();
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
         "    replicas: 3\n    tensor_parallel: 2\n    pipeline_parallel: " + (seed % 4 == 2 ? "2" : "1") +
         "\n    kv_cache: {policy: " + cache + ", num_gpu_blocks_override: " + (seed % 6 == 1 ? "700" : "9000") +
         "}\n    router: {policy: " + routers[seed % routers.size()] +
         "}\n    placement: " + placement_text(policy, seed) + "\n  - name: decode\n" + common +
         "    replicas: 2\n    tensor_parallel: " + (seed % 3 == 0 ? "4" : "1") +
         "\n    pipeline_parallel: " + (seed % 4 == 3 ? "2" : "1") + "\n    kv_cache: {policy: " + cache +
         ", num_gpu_blocks_override: " + (seed % 3 == 0 ? between(700, 1200) : std::string("5000")) +
         "}\n    preemption: {mode: " + (cache != "paged_reserved" && seed % 2 == 1 ? "swap" : "recompute") +
         "}\n    router: {policy: " + routers[(seed + 3) % routers.size()] + "}\n";
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
        if (moved != (GetParam() != "colocated" && r.output_tokens > 1)) return fmt::format("{} moved?", index(r.id));
        if (moved && !(*r.hand_over_s > 0)) return fmt::format("{} moved in no time", index(r.id));
        if (moved && !(*r.finish_s > *r.first_token_s + *r.hand_over_s)) return fmt::format("{} early", index(r.id));
      }
      return {};
    });
    EXPECT_EQ(error, "") << "seed " << seed;
  }
}

}  // namespace
}  // namespace servecast
