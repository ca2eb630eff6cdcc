// Speculative decoding on whole scenarios: what it gains and where that ends.
#include <gtest/gtest.h>

#include "tests/unit/engine/scenario_text.h"
#include "tests/unit/engine/summary_of.h"

namespace servecast::speculation_test {

/// Clients that ask one after the other: as many sequences decode at a time.
std::string closed_loop(const std::string& llm, std::int64_t clients, const std::string& pool) {
  return R"(
name: closed loop
workload:
  generate:
    requests: )" +
         std::to_string(3 * clients) + R"(
    arrivals: {closed_loop: {clients: )" +
         std::to_string(clients) + R"(}}
    prompt_tokens: {fixed: 200}
    output_tokens: {fixed: 400}
cluster: {node: hgx_h200}
pools:
  - {name: chat, llm: )" +
         llm + ", gpu: h200_sxm_141g, batcher: {policy: vllm_v1, max_num_seqs: 512, max_num_batched_tokens: 8192}" +
         pool + "}\n";
}

double tpot_s(const std::string& text) { return summary_of(text).latencies.tpot_s->mean; }

double gain(const std::string& llm, std::int64_t clients, const std::string& pool, const std::string& speculative) {
  return tpot_s(closed_loop(llm, clients, pool)) /
         tpot_s(closed_loop(llm, clients, pool + ", speculative: {" + speculative + "}"));
}

// The step that checks three drafts costs little more while weights bound it, and four times as much once arithmetic
// does: the gain falls with the batch and vanishes.
TEST(SpeculativeDecoding, GainVanishesWhereArithmeticBounds) {
  const std::string eagle = "policy: eagle, num_speculative_tokens: 3";
  double before = 10;
  for (const std::int64_t clients : {1, 32, 128, 512}) {
    const double now = gain("llama-3.1-8b", clients, "", eagle);
    EXPECT_LT(now, before) << clients;
    before = now;
    RecordProperty("gain_" + std::to_string(clients), std::to_string(now));
    if (clients == 1) {
      EXPECT_GT(now, 2);
    }
  }
  EXPECT_LT(before, 1.1);
}

// A length that follows the load is never worse than drafting always, and at the largest batch drafts less.
TEST(SpeculativeDecoding, AdaptiveLengthKeepsWhatAFixedOneLoses) {
  const std::string fixed = "policy: draft_model, llm: llama-3.1-8b, num_speculative_tokens: 4";
  for (const std::int64_t clients : {1, 256}) {
    const double with_fixed = gain("llama-3.1-70b", clients, ", tensor_parallel: 2", fixed);
    const double adaptive = gain("llama-3.1-70b", clients, ", tensor_parallel: 2", fixed + ", length: goodput");
    EXPECT_GE(adaptive, 0.99 * with_fixed) << clients;
    EXPECT_GE(adaptive, 0.95) << clients << ": the drafter reads every prompt all the same";
  }
}

// "MTP ... 1.8 x generation speed at 80 to 90 % acceptance" (DeepSeek-V3, ISCA 2025, section 2.3.3; no batch size
// given). Asserted within 15 % for one sequence per replica. With more, a step that checks drafts touches more
// experts and gains less here; their service spreads experts over 144 GPUs, where every expert is touched anyway.
TEST(SpeculativeDecoding, DeepSeeksPredictionModuleGivesItsEighteenTenths) {
  for (const double accepted : {0.8, 0.85, 0.9}) {
    const double now = gain("deepseek-v3", 1, ", engine: sglang-0.5, tensor_parallel: 8",
                            "policy: mtp, acceptance: {rate_fraction: " + std::to_string(accepted) + "}");
    EXPECT_NEAR(now / 1.8, 1, 0.15) << accepted;
    RecordProperty("gain", std::to_string(now));
  }
}

// LayerSkip, Llama-2-7B on CNN/DM: 1.86 times with 8 layers that draft 12 tokens. From its own figures, 68.9 % of the
// drafts, 12 passes of 8 layers and a check of 24 give at most 9.3 / (3 + 0.75) = 2.5 times; what its loop costs
// beside the layers is not published. Asserted: between both, and within a third of the published gain.
TEST(SpeculativeDecoding, FirstLayersDraftForAllOfThem) {
  const std::string pool = ", engine: none, weights: fp16";
  const double now = tpot_s(closed_loop("llama-2-7b", 1, pool)) /
                     tpot_s(closed_loop("llama-2-7b", 1, pool + ", early_exit: {policy: layer_skip}"));
  RecordProperty("gain", std::to_string(now));
  EXPECT_GT(now, 1.86 / 1.33);
  EXPECT_LT(now, 2.5);
}

// A tree checks 3 times as many tokens and takes over more of them: with the chance that makes 3.9 tokens a step of 5
// depths (EAGLE's own tree, Vicuna-7B at temperature 0: 3.94, Li et al., table 1), it beats the chain for one
// sequence and loses for 128.
TEST(SpeculativeDecoding, ATreePaysForFewSequencesOnly) {
  const std::string chain = "policy: eagle, num_speculative_tokens: 5";
  const std::string tree = chain + ", tree_width: 3, acceptance: {rate_fraction: 0.83}";
  const double one = gain("llama-3.1-8b", 1, "", tree) / gain("llama-3.1-8b", 1, "", chain);
  const double many = gain("llama-3.1-8b", 128, "", tree) / gain("llama-3.1-8b", 128, "", chain);
  RecordProperty("one", std::to_string(one));
  RecordProperty("many", std::to_string(many));
  EXPECT_GT(one, 1.05);
  EXPECT_LT(many, 1);
}

TEST(SpeculativeDecoding, ATreeCountsEveryCandidateAsDrafted) {
  const auto drafted = [](const std::string& more) {
    return summary_of(closed_loop("llama-3.1-8b", 1,
                                  ", speculative: {policy: eagle, num_speculative_tokens: 5" + more + "}"))
        .speculations.at(0);
  };
  EXPECT_EQ(drafted(", tree_width: 3").drafted_tokens, 3 * drafted("").drafted_tokens);
  EXPECT_EQ(drafted(", tree_width: 3").tokens_per_step, drafted("").tokens_per_step) << "the same acceptance";
}

TEST(SpeculativeDecoding, ReportSaysWhatCameOfTheDrafts) {
  const Summary summary = summary_of(closed_loop("llama-3.1-8b", 16, ", speculative: {policy: ngram}"));
  ASSERT_EQ(summary.speculations.size(), 1u);
  EXPECT_EQ(summary.speculations[0].pool, "chat");
  EXPECT_NEAR(summary.speculations[0].tokens_per_step, 1 + 0.3 + 0.09 + 0.027, 0.02);
  EXPECT_TRUE(summary_of(closed_loop("llama-3.1-8b", 16, "")).speculations.empty());
}

// A drafter keeps weights and KV of its own where the model keeps its.
TEST(SpeculativeDecoding, ADrafterTakesMemory) {
  const auto tokens = [](const std::string& pool) {
    return scenario_from(closed_loop("llama-3.1-70b", 1, ", tensor_parallel: 2" + pool))
        .pools[0]
        .memory.kv_pool_tokens;
  };
  const std::int64_t none = tokens("");
  const std::int64_t ngram = tokens(", speculative: {policy: ngram}");
  EXPECT_LT(ngram, none) << "logits of every draft that is checked";
  EXPECT_LT(tokens(", speculative: {policy: eagle}"), ngram);
  EXPECT_LT(tokens(", speculative: {policy: draft_model, llm: llama-3.1-8b}"),
            tokens(", speculative: {policy: eagle}"));
}

}  // namespace servecast::speculation_test
