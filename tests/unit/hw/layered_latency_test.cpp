#include "models/hw/additions/layered_latency.h"

#include <gtest/gtest.h>

#include "models/hw/additions/drafted_latency.h"
#include "models/hw/additions/lora.h"
#include "models/hw/parallel/ranks.h"

namespace servecast::layered_latency_test {

/// So many layers of `layer_s` for decodes and `prompt_s` for prompts, and an LM head of 10 ms.
class Stack final : public StepLatency {
 public:
  Stack(double layers, double layer_s, double prompt_s = 0)
      : layers_(layers), layer_s_(layer_s), prompt_s_(prompt_s) {}
  std::int64_t stages() const override { return 1; }
  StageTime stage(const StepWork& w, std::int64_t) const override {
    const double layer_s = (w.decode_sequences > 0 ? layer_s_ : 0) + (w.prefill_tokens > 0 ? prompt_s_ : 0);
    return {.seconds = layers_ * layer_s + (w.emitted_tokens > 0 ? 0.010 : 0)};
  }

 private:
  double layers_, layer_s_, prompt_s_;
};

LayerPart part(LayerRange range, double layer_s, double prompt_s = 0) {
  return {.all = std::make_unique<Stack>(static_cast<double>(range.size()), layer_s, prompt_s),
          .one = std::make_unique<Stack>(1, layer_s, prompt_s),
          .range = range};
}

std::unique_ptr<StepLatency> one_part(const ExitTerms& exits) {
  std::vector<LayerPart> parts;
  parts.push_back(part({0, 32}, 0.001, 0.002));
  return make_layered(std::move(parts), exits, {});
}

const StepWork decodes{.decode_sequences = 1, .decode_kv_tokens = 10, .emitted_tokens = 1};

StepWork leaving_after(std::int64_t layers) {
  StepWork work = decodes;
  work.decode_layers = layers;
  return work;
}

// 32 layers of 1 ms and 10 ms of LM head. Leaving after 20: 12 ms less, one draft layer, 10.2 predictors of 0.1 ms.
TEST(LayeredLatency, DecodesThatLeaveSkipLayers) {
  EXPECT_NEAR(one_part({})->stage(decodes, 0).seconds, 0.042, 1e-12);
  EXPECT_NEAR(one_part({})->stage(leaving_after(20), 0).seconds, 0.030, 1e-12);
  const ExitTerms exits{.draft_layers = 1, .predictors = 10.2, .predictor_s = 1e-4, .checks = 2};
  EXPECT_NEAR(one_part(exits)->stage(leaving_after(20), 0).seconds, 0.030 + 0.001 + 10.2e-4 + 2 * 0.010, 1e-12);
  EXPECT_NEAR(one_part(exits)->stage(leaving_after(5), 0).seconds, 0.015 + 0.001 + 5e-4 + 2 * 0.010, 1e-12)
      << "no more predictors than layers";
}

// Prompts run all layers: only what the decodes add to the last 12 is saved.
TEST(LayeredLatency, PromptsRunAllLayers) {
  StepWork work = leaving_after(20);
  work.add_chunk(100, 0);
  EXPECT_NEAR(one_part({})->stage(work, 0).seconds, 0.010 + 32 * 0.003 - 12 * 0.001, 1e-12);
}

// 16 layers of 1 ms and 16 of 9 ms on the host: a token that leaves after 20 saves 12 of the latter where these are
// the last, and 12 of the former where they are the first.
TEST(LayeredLatency, LayersOnTheHostCostWhatTheyCostThere) {
  const auto split = [](bool host_first) {
    std::vector<LayerPart> parts;
    parts.push_back(part({0, 16}, host_first ? 0.009 : 0.001));
    parts.push_back(part({16, 32}, host_first ? 0.001 : 0.009));
    return make_layered(std::move(parts), {}, {});
  };
  EXPECT_NEAR(split(true)->stage(decodes, 0).seconds, 0.170, 1e-12);
  EXPECT_NEAR(split(true)->stage(leaving_after(20), 0).seconds, 0.170 - 12 * 0.001, 1e-12);
  EXPECT_NEAR(split(false)->stage(leaving_after(20), 0).seconds, 0.170 - 12 * 0.009, 1e-12);
  EXPECT_NEAR(split(false)->stage(leaving_after(10), 0).seconds, 0.170 - 16 * 0.009 - 6 * 0.001, 1e-12);
}

// Four drafts for two sequences: the check, then one pass of the drafter over all its rows and three over one each.
TEST(DraftedLatency, ADraftIsAPassOfTheDrafter) {
  const auto drafted = make_drafted(std::make_unique<Stack>(32, 0.001), {.model = std::make_unique<Stack>(1, 0.001)});
  const StepWork work{
      .decode_sequences = 2, .decode_kv_tokens = 30, .draft_sequences = 2, .draft_tokens = 8, .emitted_tokens = 10};
  EXPECT_NEAR(drafted->stage(work, 0).seconds, 0.042 + 4 * 0.011, 1e-12);
  EXPECT_NEAR(drafted->stage(decodes, 0).seconds, 0.042, 1e-12) << "no drafts, no drafter";
}

/// 1 ms for every row.
class Rows final : public StepLatency {
 public:
  std::int64_t stages() const override { return 1; }
  StageTime stage(const StepWork& w, std::int64_t) const override {
    return {.seconds = 0.001 * static_cast<double>(w.tokens())};
  }
};

/// What a step's prompts take in attention.
class PromptAttention final : public StepLatency {
 public:
  std::int64_t stages() const override { return 1; }
  StageTime stage(const StepWork& w, std::int64_t) const override { return {.seconds = w.prefill_attention_s}; }
};

TEST(DraftedLatency, TheDrafterDoesNotTakeTheLargeModelsAttention) {
  const auto ranks = [] { return on_each_rank(std::make_unique<PromptAttention>(), 4); };
  StepWork prompts;
  for (const std::int64_t tokens : {100, 300}) prompts.add_chunk(tokens, 0, 0.001 * static_cast<double>(tokens));
  EXPECT_DOUBLE_EQ(make_drafted(ranks(), {.model = ranks()})->stage(prompts, 0).seconds, 0.3);
}

// A tree of 3 candidates at each of 4 depths, for 2 sequences: 2 x 13 rows are checked and taken in by the drafter;
// then three passes of 2 x 3.
TEST(DraftedLatency, APassOfATreeDraftsEveryCandidate) {
  const auto drafted = make_drafted(std::make_unique<Rows>(), {.model = std::make_unique<Rows>(), .candidates = 3});
  const StepWork work{
      .decode_sequences = 2, .decode_kv_tokens = 30, .draft_sequences = 2, .draft_tokens = 24, .emitted_tokens = 26};
  EXPECT_NEAR(drafted->stage(work, 0).seconds, 0.026 + 0.026 + 3 * 0.006, 1e-12);
}

// The first 8 of 32 layers draft 4 tokens, with an LM head each; the check runs the other 24.
TEST(DraftedLatency, FirstLayersAreNotRunAgain) {
  const auto drafted = make_drafted(std::make_unique<Stack>(32, 0.001),
                                    {.model = std::make_unique<Stack>(8, 0.001), .first_layers = true});
  const StepWork work{
      .decode_sequences = 1, .decode_kv_tokens = 15, .draft_sequences = 1, .draft_tokens = 4, .emitted_tokens = 5};
  EXPECT_NEAR(drafted->stage(work, 0).seconds, 0.042 - 0.008 + 4 * 0.018, 1e-12);
}

// Rank 16 beside q, k, v, o and the three of the MLP, Llama-2-7B: 32 x 16 x (4 x 8192 + 3 x 15104) = 40.0 million,
// the figure that PEFT prints.
TEST(Lora, ParametersOfAnAdapter) {
  const Llm llm{.name = "llama-2-7b",
                .layers = 32,
                .hidden = 4096,
                .heads = 32,
                .kv_heads = 32,
                .head_size = 128,
                .intermediate = 11008};
  EXPECT_EQ(lora_parameters(llm, 16, true), 39'976'960);
  EXPECT_EQ(lora_parameters(llm, 16, false), 16'777'216);
}

TEST(Lora, EveryAdapterInUseIsReadOnce) {
  const auto with = make_with_adapters(std::make_unique<Stack>(32, 0.001), {.adapter_s = 1e-3, .launches_s = 5e-4});
  StepWork work = decodes;
  EXPECT_EQ(with->stage(work, 0).seconds, 0.042);
  work.adapters = 3;
  EXPECT_NEAR(with->stage(work, 0).seconds, 0.0455, 1e-12);
}

}  // namespace servecast::layered_latency_test
