// Pools whose experts are spread over GPUs, with everything that changes what their kernels are.
#include <gtest/gtest.h>

#include <cmath>

#include "models/policy/early_exit.h"
#include "models/policy/speculative.h"
#include "sim/input/library/hardware.h"
#include "tests/unit/engine/scenario_text.h"

namespace servecast::spread_experts_test {

Scenario spread(const std::string& more, const std::string& llm = "mixtral-8x7b") {
  return scenario_from(
      "workload: {generate: {requests: 1, arrivals: {constant: {requests_per_s: 1}}, prompt_tokens: {fixed: 100}, "
      "output_tokens: {fixed: 2}}}\ncluster: {node: dgx_h100}\npools:\n  - {name: p, llm: " +
      llm + ", gpu: h100_sxm_80g, expert_parallel: 8, " + more + "}\n");
}

StageTime step(const Scenario& scenario, std::int64_t draft_tokens = 0) {
  StepWork work{.decode_sequences = 100,
                .decode_kv_tokens = 100'000,
                .draft_sequences = draft_tokens > 0 ? 100 : 0,
                .draft_tokens = draft_tokens,
                .emitted_tokens = 100 + draft_tokens};
  work.add_chunk(500, 0);
  return scenario.pools[0].latency->stage(work, 0);
}

/// A step of every such pool takes some time; where the pool is refused, that is said. Whether it was accepted.
bool steps_take_time(const std::string& more) {
  try {
    const double seconds = step(spread(more)).seconds;
    EXPECT_TRUE(std::isfinite(seconds) && seconds > 0) << more << ": " << seconds;
    return true;
  } catch (const UserError& error) {
    EXPECT_STRNE(error.what(), "") << more;
    return false;
  }
}

/// Hopper has no unit for 4-bit floating point.
bool has_unit(const DataTypeFacts& type) { return type.math != DataType::nvfp4; }

TEST(SpreadExperts, EveryWeightTypeHasATime) {
  for (const DataTypeFacts& type : data_types) {
    const std::string weights = "weights: " + std::string(type.name);
    EXPECT_EQ(steps_take_time(weights), has_unit(type)) << weights;
    for (const std::string& engine : list_engines()) steps_take_time(weights + ", engine: " + engine);
  }
}

TEST(SpreadExperts, EveryWayToDraftHasATime) {
  for (const std::string& way : Registry<Speculation>::names())
    for (const DataTypeFacts& type : data_types) {
      const std::string llm = way == "draft_model" ? ", llm: qwen2.5-7b" : "";
      const std::string weights = "weights: " + std::string(type.name);
      EXPECT_EQ(steps_take_time(weights + ", speculative: {policy: " + way + llm + "}"), has_unit(type)) << way;
    }
  for (const std::string& way : Registry<EarlyExit>::names()) steps_take_time("early_exit: {policy: " + way + "}");
}

// Grouped products of 8-bit integers were not measured: they take the GPU's own constants, which read half the bytes
// of bf16's weights, and say so.
TEST(SpreadExperts, TypesThatNobodyMeasuredAreExtrapolated) {
  const StageTime bf16 = step(spread("weights: bf16"));
  const StageTime int8 = step(spread("weights: int8"));
  EXPECT_TRUE(int8.extrapolated);
  EXPECT_GT(int8.seconds, bf16.seconds / 3);
  EXPECT_LT(int8.seconds, bf16.seconds * 1.5);
}

// Every rank checks the drafts of its own sequences.
TEST(SpreadExperts, DraftsAreChecked) {
  const Scenario scenario = spread("speculative: {policy: ngram}");
  EXPECT_GT(step(scenario, 1000).seconds, 1.05 * step(scenario).seconds);
}

// A drafter of its own is whole on every GPU, where it drafts for an eighth of the sequences; a layer like the
// model's own has its experts spread like these.
TEST(SpreadExperts, DraftersTakeTheMemoryThatTheyNeed) {
  const double plain = spread("weights: bf16").pools[0].memory.weight_bytes;
  const double dense = spread("speculative: {policy: draft_model, llm: qwen2.5-7b}").pools[0].memory.weight_bytes;
  EXPECT_NEAR(dense - plain, 7.6e9 * 2, 0.2e9);
  const double layer = spread("speculative: {policy: mtp}").pools[0].memory.weight_bytes;
  EXPECT_NEAR(layer - plain, (8 * 3 * 4096.0 * 14336 / 8 + 42e6) * 2, 0.01e9) << "one expert, and attention";
}

// Two queries on the same keys take no longer than on keys of their own, which read twice as much: with latent
// attention too, whose decodes are bound by arithmetic.
TEST(SpreadExperts, CheckingDraftsTakesNoLongerThanDecodingThemApart) {
  const Scenario scenario = scenario_from(
      "workload: {generate: {requests: 1, arrivals: {constant: {requests_per_s: 1}}, prompt_tokens: {fixed: 100}, "
      "output_tokens: {fixed: 2}}}\ncluster: {node: hgx_h200}\npools:\n  - {name: p, llm: deepseek-v3, gpu: "
      "h200_sxm_141g, engine: sglang-0.5, expert_parallel: 8}\n");
  for (const std::int64_t sequences : {8, 80, 700})
    for (const std::int64_t context : {100, 5000}) {
      const StepWork checked{.decode_sequences = sequences,
                             .decode_kv_tokens = sequences * context,
                             .draft_sequences = sequences,
                             .draft_tokens = sequences,
                             .emitted_tokens = 2 * sequences};
      const StepWork apart{.decode_sequences = 2 * sequences,
                           .decode_kv_tokens = 2 * sequences * context,
                           .emitted_tokens = 2 * sequences};
      const StepLatency& latency = *scenario.pools[0].latency;
      EXPECT_LE(latency.stage(checked, 0).seconds, 1.001 * latency.stage(apart, 0).seconds)
          << sequences << " " << context;
    }
}

}  // namespace servecast::spread_experts_test
