#include "sim/plan/judge/best_case.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <fstream>

#include "models/base/rng.h"
#include "sim/cli/runs/scenario_simulator.h"
#include "sim/input/resolve/load_scenario.h"
#include "sim/input/resolve/pool_error.h"
#include "sim/plan/judge/workload_facts.h"
#include "sim/plan/runs/child_process.h"
#include "sim/plan/runs/forked_evaluator.h"
#include "sim/plan/study/objective.h"

namespace servecast::best_case_test {

constexpr const char* base =
    "workload: {generate: {requests: 150, arrivals: {poisson: {requests_per_s: 5}},\n"
    "  prompt_tokens: {lognormal: {median: 400, sigma: 1.2}, max: 3000},\n"
    "  output_tokens: {exponential: {mean: 60}, max: 300}}}\n"
    "cluster: {node: dgx_h100, nodes: 6}\n"
    "pools:\n"
    "  - {name: a, llm: llama-3.1-8b, gpu: h100_sxm_80g}\n";
/// Draws of it give first tokens in a tenth of the time.
constexpr const char* early_engine =
    "title: early\nbasis: assumed\nsource: made up\n"
    "errors: [{first_token: {p05: 0.1, p50: 0.1, p95: 1}, source: made up}]\n";
constexpr const char* second_pool = "  - {name: b, llm: llama-3.1-8b, gpu: h100_sxm_80g}\n";

template <class Words>
std::string any(Rng& rng, const Words& words) {
  return std::string(words[rng.below(words.size())]);
}

/// Settings of a random design. Most of the corners that bounds could get wrong: experts, latent attention, windows,
/// quantised weights, parallel shapes, two pools, shared SMs, prefix caches, draws of the calibration.
std::vector<Override> random_design(Rng& rng, bool two_pools) {
  constexpr std::array llms{"llama-3.1-8b", "llama-3.1-70b",    "mixtral-8x7b",  "opt-13b",
                            "gpt-oss-20b",  "deepseek-v2-lite", "qwen3-30b-a3b", "mistral-7b"};
  constexpr std::array gpus{"a100_sxm_80g", "h100_sxm_80g", "h200_sxm_141g", "l40s_48g", "a10_24g"};
  constexpr std::array weights{"bf16", "fp8", "int8", "int4", "w8a8"};
  constexpr std::array sizes{"1", "2", "4", "8"};
  constexpr std::array engines{"vllm-0.15", "none", "trtllm-1.0", "sglang-0.5", "./early.yaml"};
  constexpr std::array rates{"0.2", "1", "5", "30"};
  constexpr std::array caches{"paged", "paged_prefix", "radix"};
  constexpr std::array lengths{"0.05", "1", "3"};
  std::vector<Override> set{{"workload.generate.rate_scale", any(rng, rates)},
                            {"workload.generate.output_scale", any(rng, lengths)},
                            {"seed", std::to_string(rng.below(1000))},
                            {"calibration_draw", std::to_string(rng.below(4))}};
  const std::string llm = any(rng, llms);
  const std::string weight = any(rng, weights);
  const std::string cache = any(rng, caches);
  const std::string model = any(rng, std::array{"auto", "roofline"});
  for (int pool = 0; pool < (two_pools ? 2 : 1); ++pool) {
    const std::string at = fmt::format("pools[{}].", pool);
    set.insert(set.end(), {{at + "llm", llm},
                           {at + "weights", weight},
                           {at + "gpu", any(rng, gpus)},
                           {at + "engine", any(rng, engines)},
                           {at + "latency.model", model},
                           {at + "kv_cache.policy", cache},
                           {at + "tensor_parallel", any(rng, sizes)},
                           {at + "pipeline_parallel", any(rng, std::array{"1", "1", "2"})},
                           {at + "replicas", std::to_string(1 + rng.below(2))}});
  }
  if (two_pools)
    set.push_back(
        {"pools[0].placement",
         "{policy: " + any(rng, std::array{"disaggregated", "mooncake", "splitwise"}) + ", decode_pool: b}"});
  else
    set.push_back({"pools[0].placement.policy", any(rng, std::array{"colocated", "semi_pd"})});
  return set;
}

std::string shown(const std::vector<Override>& set) {
  std::string text;
  for (const Override& o : set) text += " --set " + o.path + "=" + o.value;
  return text;
}

/// The scenario as it is sized, and its outcome.
struct Simulated {
  std::string file{};
  std::vector<Override> set{};
  SizedScenario sized{};
  Summary run{};
};

class RandomDesigns : public testing::Test {
 protected:
  /// One after the other, each in a process of its own; those that cannot be are left out.
  std::vector<Simulated> simulated(std::uint64_t seed, int count) {
    Rng rng(seed, "bounds");
    std::vector<Simulated> all;
    std::vector<RunRequest> requests;
    std::ofstream((folder_ / "early.yaml").string()) << early_engine;
    for (int i = 0; i < count; ++i) {
      const bool two_pools = i % 3 == 0;
      const std::string file = (folder_ / (two_pools ? "two.yaml" : "one.yaml")).string();
      std::ofstream(file) << base << (two_pools ? second_pool : "");
      Simulated s{.file = file, .set = random_design(rng, two_pools)};
      YamlText text = YamlText::load(file);
      for (const Override& o : s.set) text.set(o.path, o.value);
      s.sized = size_scenario(text, files_);
      if (!s.sized.impossible.empty()) continue;
      requests.push_back({.scenario = file});
      for (const Override& o : s.set) requests.back().set.push_back(o.path + "=" + o.value);
      all.push_back(std::move(s));
    }
    ScenarioSimulator simulator;
    const std::vector<RunResult> results = ForkedEvaluator(simulator, nullptr).evaluate(requests);
    for (std::size_t i = 0; i < all.size(); ++i) {
      EXPECT_TRUE(results[i].summary) << results[i].failure;
      all[i].run = results[i].summary.value_or(Summary{});
    }
    return all;
  }

  static double overload(const Simulated& s, const std::vector<Promise>& promises) {
    const WorkloadFacts facts = read_workload(s.sized.spec, s.file, 1);
    double fastest = 1;
    const ScenarioSpec& spec = s.sized.spec;
    for (const Pool& pool : s.sized.pools)
      fastest = std::min(fastest, fastest_fraction(pool, spec.calibration_spread,
                                                   static_cast<std::uint64_t>(spec.calibration_draw)));
    return BestCases().of(s.sized, promises, facts).overload * fastest;
  }

 private:
  ScratchFolder folder_{};
  HardwareFiles files_{};
};

std::vector<Promise> as_simulated(const Summary& run, std::int64_t percentile, double Statistics::*value) {
  std::vector<Promise> promises;
  if (run.latencies.ttft_s)
    promises.push_back({.metric = "ttft_s", .percentile = percentile, .bound = (*run.latencies.ttft_s).*value});
  if (run.latencies.tpot_s)
    promises.push_back({.metric = "tpot_s", .percentile = percentile, .bound = (*run.latencies.tpot_s).*value});
  if (run.latencies.e2e_s)
    promises.push_back({.metric = "e2e_s", .percentile = percentile, .bound = (*run.latencies.e2e_s).*value});
  return promises;
}

/// Whatever a simulation has kept, the bounds may not call out of reach: promises are set to exactly what came out,
/// each by itself and all together, at every percentile.
TEST_F(RandomDesigns, BoundsAreOptimistic) {
  struct Percentile {
    std::int64_t percent;
    double Statistics::*value;
  };
  int checked = 0;
  double nearest = 0;
  for (const Simulated& s : simulated(1, 60)) {
    if (s.run.requests.completed < s.run.requests.arrived) continue;  // percentiles are of the served ones
    ++checked;
    for (const Percentile p : {Percentile{50, &Statistics::p50}, Percentile{90, &Statistics::p90},
                               Percentile{99, &Statistics::p99}, Percentile{100, &Statistics::max}}) {
      const std::vector<Promise> all = as_simulated(s.run, p.percent, p.value);
      nearest = std::max(nearest, overload(s, all));
      EXPECT_LE(overload(s, all), 1 + 1e-9) << shown(s.set) << "\n  all at p" << p.percent;
      for (const Promise& one : all) EXPECT_LE(overload(s, {one}), 1 + 1e-9) << shown(s.set) << "\n  " << one.words();
    }
  }
  EXPECT_GT(checked, 20);
  EXPECT_GT(nearest, 0.4);  // and they say something: half of what comes out is physics
}

}  // namespace servecast::best_case_test
