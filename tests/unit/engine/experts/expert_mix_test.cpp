// Experts elsewhere together with speculation, LoRA adapters and several models that share the slots.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/unit/engine/everything_of.h"
#include "tests/unit/engine/scenario_text.h"
#include "tests/unit/engine/summary_of.h"

namespace servecast::expert_mix_test {

/// Mostly one request at a time to a small mixture that keeps half of its experts; `pool` and `workload` add to it.
std::string one_user(const std::string& offload, const std::string& pool = "", const std::string& workload = "") {
  return fmt::format(R"(
seed: 2
workload:
  generate:
    requests: 12
    arrivals: {{poisson: {{requests_per_s: 0.05}}}}
    prompt_tokens: {{fixed: 32}}
    output_tokens: {{fixed: 64}}
  {}
cluster: {{node: pcie_server_1}}
pools:
  - name: chat
    llm: deepseek-v2-lite
    gpu: a100_pcie_40g
    latency: {{model: roofline}}
    expert_offload: {{{}}}
    {}
)",
                     workload, offload, pool);
}

const std::string drafts = "speculative: {policy: ngram, num_speculative_tokens: 3, acceptance: {rate_fraction: ";

// Four tokens a step ask for more experts than one: where no draft is right, the same output needs nearly as many
// steps, and each loads more.
TEST(ExpertMix, TokensThatAreCheckedAskForExperts) {
  const Summary alone = summary_of(one_user("cache_fraction: 0.5"));
  const Summary wrong = summary_of(one_user("cache_fraction: 0.5", drafts + "0}}"));
  EXPECT_GT(wrong.expert_offload.at(0).loaded_bytes, 1.5 * alone.expert_offload.at(0).loaded_bytes);
  EXPECT_GT(wrong.latencies.tpot_s->mean, 1.2 * alone.latencies.tpot_s->mean);
}

// With all experts there, drafts that are always right make it 3 to 4 times as fast; where experts are loaded, four
// tokens ask for more of them, so the gain is smaller.
TEST(ExpertMix, SpeculationGainsLessWhereExpertsAreElsewhere) {
  const auto gain = [](const std::string& offload) {
    return summary_of(one_user(offload)).latencies.tpot_s->mean /
           summary_of(one_user(offload, drafts + "1}}")).latencies.tpot_s->mean;
  };
  const double all_there = gain("slots_per_layer: 64");
  const double half = gain("cache_fraction: 0.5");
  RecordProperty("all_there", std::to_string(all_there));
  RecordProperty("half", std::to_string(half));
  EXPECT_GT(all_there, half);
  EXPECT_GT(half, 1);
}

// Every step waits for experts, and where an adapter is missing for that, too: with slots for all adapters nearly
// nothing comes on top, with one slot a load for nearly every request.
TEST(ExpertMix, AdaptersAreLoadedBesideExperts) {
  const auto with = [](int slots) {
    return summary_of(one_user("cache_fraction: 0.5", fmt::format("lora: {{slots: {}}}", slots),
                               "adapters: {count: 4, zipf_exponent: 0}"));
  };
  EXPECT_LE(with(4).adapters.at(0).loads, 4);
  EXPECT_GT(with(1).adapters.at(0).loads, 4);
  EXPECT_GT(with(1).expert_offload.at(0).loaded_bytes, 0);
}

// While an adapter comes the links are not the experts' own; a step's experts come when it is there.
TEST(ExpertMix, AdaptersTakeTurnsWithExpertsOnTheirLinks) {
  std::string text = one_user("cache_fraction: 0.5", "lora: {slots: 2}", "adapters: {count: 6, zipf_exponent: 0}");
  const std::string rate = "requests_per_s: 0.05";
  for (const std::string busier : {"requests_per_s: 0.05", "requests_per_s: 5"}) {
    text.replace(text.find("requests_per_s: "), rate.size(), busier + std::string(rate.size() - busier.size(), ' '));
    const std::string quick = everything_of(text, false);
    EXPECT_EQ(quick, everything_of(text, true)) << busier;
    EXPECT_NE(quick.find("\"unfinished\": 0"), std::string::npos) << quick;
  }
}

/// The pool's model and others that have tuned this share of its experts.
std::string shared(int models, double tuned_fraction = 1) {
  return fmt::format("models: [{{name: tuned, count: {}, tuned_fraction: {}}}]", models - 1, tuned_fraction);
}

double hits(int models, int slots, int named) {
  return summary_of(one_user(fmt::format("{}, slots_per_layer: {}", shared(models), slots), "",
                             fmt::format("adapters: {{count: {}, zipf_exponent: 0}}", named)))
      .expert_offload.at(0)
      .hit_fraction;
}

// Two models in the slots of one: each request pushes out what the model before it used. With twice the slots both
// find more than one did alone with its half, since the one that runs takes what the other leaves idle; and where
// all name the same one, it has all slots to itself.
TEST(ExpertMix, ModelsShareTheSlots) {
  const Summary one = summary_of(one_user("slots_per_layer: 32"));
  const double alone = one.expert_offload.at(0).hit_fraction;
  EXPECT_LT(hits(2, 32, 2), alone);
  EXPECT_GT(hits(2, 64, 2), alone);
  EXPECT_NEAR(hits(2, 32, 1), alone, 0.05);
}

// The slots are a share of all experts, and take memory from KV.
TEST(ExpertMix, MoreModelsKeepASmallerShareOfTheirExperts) {
  const Summary two = summary_of(one_user(shared(2) + ", slots_per_layer: 32", "", "adapters: {count: 2}"));
  EXPECT_EQ(two.expert_offload.at(0).cache_fraction, 0.25);
  Scenario few = scenario_from(one_user(shared(3) + ", slots_per_layer: 32", "", "adapters: {count: 2}"));
  Scenario many = scenario_from(one_user(shared(3) + ", slots_per_layer: 60", "", "adapters: {count: 2}"));
  const double each = few.pools[0].experts->expert_bytes;
  EXPECT_NEAR(many.pools[0].memory.weight_bytes - few.pools[0].memory.weight_bytes,
              28.0 * static_cast<double>(few.pools[0].experts->shape.layers) * each, each);
}

/// Experts that one request asks for: 32 tokens of a prompt, and 63 decode steps of a token each.
std::int64_t asked(const std::string& pool) {
  std::string text = one_user("cache_fraction: 0.5", pool);
  text.replace(text.find("requests: 12"), 12, "requests: 1 ");
  Scenario scenario = scenario_from(text);
  Recorder recorder(scenario.pools.size());
  return run_without_engine(scenario, recorder, {}).pools.at(0).experts.value().totals.requested;
}

// DeepSeek-V2-Lite has 27 layers, the first without experts, and asks 6 experts a token and layer. Decodes that all
// leave after 10 layers run 9 of the 26 layers with experts, prompts every one.
TEST(ExpertMix, TokensThatLeaveEarlyAskForNoExpertsBehind) {
  std::string shares = "[0,0,0,0,0,0,0,0,0,1";
  for (int layer = 10; layer < 27; ++layer) shares += ",0";
  EXPECT_EQ(asked("") - asked("early_exit: {policy: spec_ee, exit_shares: " + shares + "]}"), 63 * 6 * (26 - 9));
}

// Of 26 layers with experts, 7 are on the host: 19 ask for experts of a GPU, about as many each.
TEST(ExpertMix, LayersOnTheHostLoadNoExperts) {
  for (const std::string which : {"first, layers: 8", "last, layers: 7"})
    EXPECT_NEAR(static_cast<double>(asked("host_layers: {device: i7_13650hx, which: " + which + "}")) / 19,
                static_cast<double>(asked("")) / 26, 0.03 * 32 * 6)
        << which;
}

// Adapter k is one of model k modulo 2: both have experts of their own, and each adapter a slot.
TEST(ExpertMix, AdaptersBelongToTheModelsThatShareSlots) {
  const Summary both = summary_of(
      one_user(shared(2) + ", slots_per_layer: 32", "lora: {slots: 4}", "adapters: {count: 4, zipf_exponent: 0}"));
  EXPECT_LE(both.adapters.at(0).loads, 4);
  EXPECT_NEAR(both.expert_offload.at(0).hit_fraction, hits(2, 32, 2), 0.01);
  EXPECT_EQ(both.requests.completed, 12);
}

std::string mixed(std::uint64_t seed) {
  Rng rng(seed, "mix");
  const auto one_of = [&](std::vector<std::string> words) { return words[rng.below(words.size())]; };
  return fmt::format(
      R"(
seed: {}
workload:
  adapters: {{count: 3}}
  generate:
    requests: 40
    arrivals: {{poisson: {{requests_per_s: 2}}}}
    prompt_tokens: {{exponential: {{mean: 60}}, max: 300}}
    output_tokens: {{exponential: {{mean: 12}}, max: 40}}
cluster: {{node: pcie_server_4}}
pools:
  - name: chat
    llm: deepseek-v2-lite
    gpu: a100_pcie_40g
    replicas: {}
    latency: {{model: roofline}}
    {}
    expert_offload: {}, cache: {{policy: {}}}, prefetch: {{policy: {}}}, miss: {{policy: {}}}}}
)",
      seed, one_of({"1", "2"}),
      one_of({"speculative: {policy: ngram}", "early_exit: {policy: spec_ee, mean_layers: 20}",
              "early_exit: {policy: layer_skip}\n    lora: {slots: 2}",
              "speculative: {policy: eagle, num_speculative_tokens: 3, tree_width: 2, length: goodput}"}),
      one_of({"{" + shared(3) + ", slots_per_layer: 40", "{" + shared(2, 0.2) + ", slots_per_layer: 20",
              "{models: [{name: small, experts: 24, tuned_fraction: 0.5}], slots_per_layer: 20"}),
      one_of({"lru", "lfu", "frequency_pinned"}),
      one_of({"none", "previous_token", "gate_lookahead", "co_activation", "oracle"}),
      one_of({"load", "buddy", "skip", "random", "base_expert"}));
}

TEST(ExpertMix, ShortCutsChangeNothing) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed)
    EXPECT_EQ(everything_of(mixed(seed), false), everything_of(mixed(seed), true)) << mixed(seed);
}

}  // namespace servecast::expert_mix_test
