// Shipped scenarios that combine features do what their comments say, and what a few lines of arithmetic say.
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "models/base/totals.h"
#include "sim/engine/run/run.h"
#include "sim/input/resolve/load_scenario.h"
#include "sim/report/record/recorder.h"
#include "sim/report/record/run_facts.h"
#include "tests/unit/in_child.h"

namespace servecast::shipped_combinations_test {

using Settings = std::vector<Override>;

Scenario shipped(const std::string& name, const Settings& settings) {
  return load_scenario(std::string(SERVECAST_SOURCE_DIR) + "/scenarios/" + name + ".yaml", settings);
}

/// What `look` says of a run in a process of its own.
template <std::size_t N, class Look>
std::array<double, N> told(const std::string& name, const Settings& settings, Look look) {
  return in_child<N>([&] {
    Scenario scenario = shipped(name, settings);
    Recorder recorder(scenario.pools.size());
    const RunFacts facts = run(scenario, recorder, {});
    return look(scenario, recorder, facts);
  });
}

Settings with(Settings settings, const Settings& more) {
  settings.insert(settings.end(), more.begin(), more.end());
  return settings;
}

double count(const Recorder& recorder, RequestStatus status) {
  return static_cast<double>(std::ranges::count(recorder.requests(), status, &RequestRecord::status));
}

// Until the node dies the runs are the same, so the requests on it are the same too: what one run resumes the other
// loses. The node is away for 60 s; then 141.1e9 bytes of weights come over 15e9 bytes/s of storage, 9.4 s, and the
// engine takes 20 s.
TEST(ShippedCombinations, WhatADyingNodeHadIsResumedOrLost) {
  const Settings once{{"failures.events", "[{at_s: 60, node: 2, down_s: 60}]"}, {"first_requests", "2000"}};
  const auto look = [](const Scenario&, const Recorder& recorder, const RunFacts& facts) {
    double lost = 0, resumed = 0;
    for (const FailureTotals& pool : facts.failures.pools) {
      lost += static_cast<double>(pool.lost);
      resumed += static_cast<double>(pool.resumed);
    }
    return std::array{count(recorder, RequestStatus::completed), lost, resumed, facts.failures.pools[1].down_s};
  };
  const auto [completed, lost, resumed, down_s] = told<4>("decode_node_down", once, look);
  const auto [kept, gone, none, as_long_s] =
      told<4>("decode_node_down", with(once, {{"failures.in_flight", "lost"}}), look);
  EXPECT_EQ(completed, 2000);
  EXPECT_EQ(lost, 0);
  EXPECT_GT(resumed, 0);
  EXPECT_EQ(none, 0);
  EXPECT_EQ(gone, resumed);
  EXPECT_EQ(kept, 2000 - gone);
  EXPECT_NEAR(down_s, 60 + 141.1e9 / 15e9 + 20, 0.1);
  EXPECT_NEAR(as_long_s, down_s, 0.1);
}

// 1,200 tokens of the system prompt are whole blocks. 600 requests, one every half a second, find them but for the
// first of each adapter: of 60 adapters (600 - 60) x 1,200 = 648,000 tokens, of one 599 x 1,200 = 718,800.
TEST(ShippedCombinations, EachAdapterHasTheSystemPromptOfItsOwn) {
  for (const auto& [adapters, found] : {std::pair{60, 648'000}, std::pair{1, 718'800}}) {
    const auto [tokens] =
        told<1>("adapters",
                {{"workload.generate.requests", "600"},
                 {"workload.generate.arrivals", "{constant: {requests_per_s: 2}}"},
                 {"workload.generate.sessions", "{turns: {fixed: 1}}"},
                 {"workload.adapters", "{count: " + std::to_string(adapters) + ", zipf_exponent: 0}"},
                 {"pools[0].replicas", "1"}},
                [](const Scenario&, const Recorder& recorder, const RunFacts&) {
                  double sum = 0;
                  for (const RequestRecord& r : recorder.requests()) sum += static_cast<double>(r.cached_tokens);
                  return std::array{sum};
                });
    EXPECT_EQ(tokens, found) << adapters << " adapters";
  }
}

// One replica serves the first turn, and the second turn, 150 s later, is the other one's, which starts at 60 s. Of
// the history the store has the whole blocks of the prompt (1,500 tokens of the system and 1,600) and of the answer
// but its last token, which was never computed: 3,100 + 159 = 3,259 tokens, 203 blocks of 16, so 3,248. What a
// replica wrote leaves with it: where the pool goes to none at 60 s and back to one at 80 s nothing is found.
TEST(ShippedCombinations, AReplicaThatStartsFindsTheConversationsOfThoseThatServe) {
  const Settings two_turns{{"workload.generate.requests", "4"},
                           {"workload.generate.arrivals", "{constant: {requests_per_s: 0.001}}"},
                           {"workload.generate.sessions", "{turns: {fixed: 2}, think_s: {fixed: 150}}"},
                           {"workload.generate.prompt_tokens", "{fixed: 1600}"},
                           {"workload.generate.output_tokens", "{fixed: 160}"},
                           {"first_requests", "2"},
                           {"pools[0].replicas", "2"},
                           {"pools[0].router.policy", "round_robin"},
                           {"pools[0].kv_tiers.levels[0].capacity_bytes", "1e12"},
                           {"pools[0].scaling", "{min_replicas: 0, start_replicas: 1, engine_init_s: 5}"}};
  const auto found = [&](const std::string& times) {
    return told<1>(
        "scaling_shared_kv",
        with(two_turns, {{"pools[0].autoscaler", "{policy: scheduled, period_s: 1000, times: [" + times + "]}"}}),
        [](const Scenario&, const Recorder& recorder, const RunFacts&) {
          double sum = 0;
          for (const RequestRecord& r : recorder.requests()) sum += static_cast<double>(r.cached_tokens);
          return std::array{sum};
        })[0];
  };
  EXPECT_EQ(found("{at_s: 0, replicas: 1}, {at_s: 60, replicas: 2}"), 3'248);
  EXPECT_EQ(found("{at_s: 0, replicas: 1}, {at_s: 60, replicas: 0}, {at_s: 80, replicas: 1}"), 0);
}

// An expert is three matrices of 4,096 x 14,336 in bf16: 352,321,536 bytes. Divided over both cards three of a
// layer's eight stay; whole ones need twice the room on a GPU, so floor(3 / 2) on each of two. Both GPUs load over
// one root of 24.8e9 bytes/s, so no run is shorter than its loads; with one user hardly anything else takes time.
TEST(ShippedCombinations, TwoCardsBelowOneRootLoadAsFastAsTheRoot) {
  const Settings one_user{{"workload.generate.arrivals.closed_loop.clients", "1"},
                          {"workload.generate.requests", "1"},
                          {"workload.generate.output_tokens", "{fixed: 32}"}};
  struct Cut {
    Settings settings;
    double stay;
  };
  for (const Cut& cut : {Cut{{}, 3}, Cut{{{"pools[0].expert_parallel", "2"}}, 2},
                         Cut{{{"pools[0].tensor_parallel", "1"}, {"pools[0].pipeline_parallel", "2"}}, 3}}) {
    const auto [experts, load_bytes, loads_s, duration_s] =
        told<4>("mixtral_two_cards", with(one_user, cut.settings),
                [](const Scenario&, const Recorder&, const RunFacts& facts) {
                  const ExpertFacts& e = *facts.pools.front().experts;
                  return std::array{8 * e.cache_fraction, e.totals.loaded_bytes / static_cast<double>(e.totals.loads),
                                    e.totals.loaded_bytes / 24.8e9, facts.duration_s};
                });
    EXPECT_NEAR(experts, cut.stay, 1e-9);
    EXPECT_NEAR(load_bytes, 352'321'536, 1);
    EXPECT_GE(duration_s, loads_s * (1 - 1e-6));
    EXPECT_LE(duration_s, loads_s * 1.1);
  }
}

// A token's KV is 2 x 32 layers x 8 heads x 128 x 2 bytes = 131,072 bytes. Each of two GPUs sends half of it, both
// over the one PCIe root, so a prompt's KV takes as long as its bytes over 24.8e9 bytes/s, after 20 microseconds. In
// a run none is faster than that, and those that meet the collectives of a step are slower.
TEST(ShippedCombinations, HandOversMeetCollectivesOnPcie) {
  const auto alone_s = [](double tokens) { return 20e-6 + tokens * 131'072 / 24.8e9; };
  const auto [lone_s] = told<1>(
      "shared_pcie", {{"workload.generate.requests", "1"}, {"workload.generate.prompt_tokens", "{fixed: 2048}"}},
      [](const Scenario&, const Recorder& recorder, const RunFacts&) {
        return std::array{*recorder.requests().front().hand_over_s};
      });
  EXPECT_NEAR(lone_s, alone_s(2048), 2e-6);
  const auto [fastest, slowed, all] = told<3>(
      "shared_pcie", {{"first_requests", "300"}}, [&](const Scenario&, const Recorder& recorder, const RunFacts&) {
        double least = 2, more = 0, moved = 0;
        for (const RequestRecord& r : recorder.requests()) {
          if (!r.hand_over_s) continue;
          const double stretch = *r.hand_over_s / alone_s(static_cast<double>(r.prompt_tokens));
          least = std::min(least, stretch);
          more += stretch > 1.01 ? 1 : 0;
          moved += 1;
        }
        return std::array{least, more, moved};
      });
  EXPECT_GT(all, 290) << "answers of one token need no hand-over";
  EXPECT_GE(fastest, 1 - 1e-3);
  EXPECT_GT(slowed, all / 10);
}

// One sequence decodes: every step reads all weights but the embeddings (16.06e9 - 1.05e9 bytes) at the fitted share
// of the memory's rate (2853 / 3350). That takes 5.26 ms at 3.35e12 bytes/s and 3.67 ms at 4.8e12: 1.59 ms less.
TEST(ShippedCombinations, FasterMemoryShortensTheReadingOfWeights) {
  const Settings one_at_a_time{{"workload.generate.requests", "1"},
                               {"workload.generate.prompt_tokens", "{fixed: 16}"},
                               {"workload.generate.output_tokens", "{fixed: 101}"},
                               {"pools[0].replicas", "1"}};
  const auto look = [](const Scenario&, const Recorder& recorder, const RunFacts& facts) {
    const RequestRecord& r = recorder.requests().front();
    return std::array{(*r.finish_s - *r.first_token_s) / 100, static_cast<double>(facts.changed_hardware.size())};
  };
  const auto [fast_s, changed] = told<2>("faster_memory", one_at_a_time, look);
  const auto [plain_s, unchanged] = told<2>("faster_memory", with(one_at_a_time, {{"gpus", "{}"}}), look);
  EXPECT_EQ(changed, 1) << "the report says so";
  EXPECT_EQ(unchanged, 0);
  const double read_s = 15.01e9 * 3350 / 2853;
  EXPECT_NEAR(plain_s - fast_s, read_s / 3.35e12 - read_s / 4.8e12, 0.1e-3);
}

}  // namespace servecast::shipped_combinations_test
