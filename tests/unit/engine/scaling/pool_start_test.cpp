// How long replicas take to start: what a scenario states, and what it leaves to the engine.
#include "sim/input/scenario/pool_start.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/engine/whole_runs.h"

namespace servecast::pool_start_test {

using testing::HasSubstr;

constexpr double weight_bytes = 16'060'522'496;  // of Llama-3.1-8B in bf16: 32 layers
constexpr double rounding_s = 1e-5;              // of the memory plan's bytes
constexpr double pcie_bytes_per_s = 55.3e9;      // of an H100

Scenario scenario_with(const std::string& pool, const std::string& top = {}) {
  return scenario_from(
      "workload: {generate: {requests: 1, arrivals: {constant: {requests_per_s: 1}}, prompt_tokens: {fixed: 16}, "
      "output_tokens: {fixed: 2}}}\ncluster: {node: dgx_h100}\n" +
      top + "pools:\n  - {name: chat, llm: llama-3.1-8b, gpu: h100_sxm_80g, " + pool + "}\n");
}

PoolStart start_with(const std::string& scaling) {
  const Scenario scenario =
      scenario_with("engine: vllm-0.15, autoscaler: {policy: hpa, requests_per_s: 1}, scaling: " + scaling);
  return pool_start(scenario.spec, scenario.pools[0]);
}

// vLLM 0.15's file: 12 s, 7e9 bytes/s, 3.8 s and 0.79 s for each layer.
TEST(PoolStart, PhasesThatAreLeftOutAreTheEngines) {
  const PoolStart start = start_with("{min_replicas: 1}");
  EXPECT_EQ(start.phases.imports_s, 12);
  EXPECT_DOUBLE_EQ(start.phases.gpu_load_s, weight_bytes / 7e9);
  EXPECT_DOUBLE_EQ(start.phases.engine_init_s, 3.8 + 32 * 0.79);
  EXPECT_NEAR(start.wake_s, weight_bytes / pcie_bytes_per_s, rounding_s);
}

TEST(PoolStart, PhasesThatAreStatedCount) {
  const PoolStart start =
      start_with("{imports_s: 3, gpu_load_bytes_per_s: 2.0e9, engine_init_s: 30, warm_replicas: 1, warm_start_s: 1}");
  EXPECT_NEAR(start.phases.sum(), 3 + weight_bytes / 2e9 + 30, rounding_s);
  EXPECT_EQ(start.wake_s, 1);
}

TEST(PoolStart, ASnapshotStandsForAllOfThem) {
  EXPECT_DOUBLE_EQ(start_with("{snapshot: {bytes: 66.0e9}}").phases.sum(), 66e9 / pcie_bytes_per_s);
  EXPECT_EQ(start_with("{snapshot: {bytes: 66.0e9, restore_s: 12}}").phases.sum(), 12);
}

// After a failure, either what is stated in all, or the engine's phases.
TEST(PoolStart, OfAStandingPoolIsTheFailures) {
  const auto phases = [](const std::string& failures) {
    const Scenario scenario = scenario_with("engine: vllm-0.15", "failures: " + failures + "\n");
    return pool_start(scenario.spec, scenario.pools[0]).phases;
  };
  EXPECT_DOUBLE_EQ(phases("{max_retries: 5}").sum(), 12 + weight_bytes / 7e9 + 3.8 + 32 * 0.79);
  EXPECT_EQ(phases("{engine_init_s: 20}").sum(), 20);
}

TEST(EngineStartNote, SaysWhatIsTheEnginesAlone) {
  const auto note = [](const std::string& pool, const std::string& top = {}) {
    const Scenario scenario = scenario_with("engine: vllm-0.15" + pool, top);
    return engine_start_note(scenario.spec, scenario.pools[0]).value_or("");
  };
  const std::string scaled = ", autoscaler: {policy: hpa, requests_per_s: 1}";
  EXPECT_THAT(note(scaled + ", scaling: {imports_s: 0}"),
              HasSubstr("replicas start as vllm-0.15 does: weights into GPU memory 2.29 s, initialisation 29.1 s ("));
  EXPECT_EQ(note(scaled + ", scaling: {imports_s: 0, gpu_load_bytes_per_s: 1.0e9, engine_init_s: 0}"), "");
  EXPECT_EQ(note(scaled + ", scaling: {snapshot: {bytes: 1.0e9}}"), "");
  EXPECT_THAT(note("", "failures: {max_retries: 5}\n"), HasSubstr("imports 12 s"));
  EXPECT_EQ(note(""), "");
}

}  // namespace servecast::pool_start_test
