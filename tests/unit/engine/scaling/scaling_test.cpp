// Replicas that come and go with load.
#include "sim/engine/scaling/scaling.h"

#include <gtest/gtest.h>

#include <sstream>

#include "tests/unit/engine/everything_of.h"
#include "tests/unit/engine/whole_runs.h"

namespace servecast::scaling_test {

/// Replicas of a GPU each; a request comes every second by turns, and every step takes 1/32 s.
std::string pool_with(const std::string& more, int replicas = 4, int requests = 20, const std::string& top = {}) {
  return "workload:\n  generate:\n    requests: " + std::to_string(requests) +
         "\n    arrivals: {constant: {requests_per_s: 1}}\n    prompt_tokens: {fixed: 160}\n"
         "    output_tokens: {fixed: 32}\ncluster: {node: dgx_h100}\nslo: {ttft_s: 1, tpot_s: 0.1}\n" +
         top +
         "pools:\n  - {name: chat, llm: llama-3.1-8b, gpu: h100_sxm_80g, engine: none, router: {policy: "
         "round_robin}, "
         "replicas: " +
         std::to_string(replicas) + ", " + more + "}\n";
}

struct Row {
  double arrival_s = 0;
  int status = 0;
  double first_token_s = 0;
  double finish_s = 0;
  std::size_t replica = 0;
};
struct Totals {
  std::int64_t starts = 0, woken = 0, stops = 0;
  double rented_s = 0, serving_s = 0;
  std::int64_t most_serving = 0, mirrored = 0;
  std::size_t interrupted = 0;
  std::int64_t stand_ins = 0;
  double last_start_s = 0, duration_s = 0;
};

/// Runs it in a child and brings numbers home.
struct ScaledRun {
  explicit ScaledRun(const std::string& text, std::size_t count) : rows(count) {
    std::istringstream in(in_child([&] {
      Scenario scenario = scenario_from(text);
      scenario.pools[0].latency = std::make_unique<ConstantLatency>(1);
      const Finished done = run_it(scenario);
      std::string out;
      for (const RequestRecord& r : done.recorder.requests())
        out += fmt::format("{} {} {} {} {}\n", r.arrival_s, static_cast<int>(r.status), r.first_token_s.value_or(-1),
                           r.finish_s.value_or(-1), index(r.replica));
      const ScalingTotals& scaled = done.facts.scaling[0];
      const FailureTotals failed = done.facts.failures.pools.empty() ? FailureTotals{} : done.facts.failures.pools[0];
      return out + fmt::format("{} {} {} {} {} {} {} {} {} {} {}", scaled.starts, scaled.woken, scaled.stops,
                               scaled.rented_s, scaled.serving_s, scaled.most_serving, scaled.mirrored,
                               failed.retried, failed.stand_ins, scaled.start_s.empty() ? -1 : scaled.start_s.back(),
                               done.facts.duration_s);
    }));
    for (Row& r : rows) in >> r.arrival_s >> r.status >> r.first_token_s >> r.finish_s >> r.replica;
    in >> t.starts >> t.woken >> t.stops >> t.rented_s >> t.serving_s >> t.most_serving >> t.mirrored >>
        t.interrupted >> t.stand_ins >> t.last_start_s >> t.duration_s;
    EXPECT_TRUE(in);
  }
  std::vector<Row> rows;
  Totals t{};
};

constexpr double step_s = 1.0 / 32;
constexpr double weight_bytes = 16'060'522'496;  // of Llama-3.1-8B in bf16
constexpr double storage_bytes_per_s = 15e9;

std::string scheduled(const std::string& times, const std::string& scaling) {
  return "autoscaler: {policy: scheduled, times: [" + times + "]}, scaling: {" + scaling + "}";
}

// All replicas, all the time: the same bytes as without an autoscaler, but for the report's part on scaling.
TEST(Scaling, ThatNeverScalesChangesNothing) {
  const auto run = [](const std::string& more) {
    return in_child([&] {
      std::vector<Override> overrides{{"pools[0].autoscaler", more}};
      if (more != "{policy: none}") overrides.push_back({"pools[0].scaling", "{min_replicas: 4}"});
      Scenario scenario = scenario_from(small_chat, overrides);
      const Finished done = run_it(scenario);
      RunFacts facts = done.facts;
      facts.scaling.clear();
      facts.settings = "{}";
      facts.pools[0].rented_gpus.reset();
      return told(done.recorder, facts);
    });
  };
  const std::string without = run("{policy: none}");
  EXPECT_EQ(without, run("{policy: scheduled, times: [{at_s: 0, replicas: 4}]}"));
  EXPECT_EQ(without, run("{policy: hpa, requests_per_s: 1000, check_every_s: 0.5}"));
}

// Weights over 15 GB/s of storage, which two that start together share. The image arrives in 2 s, unpacked in 4.
TEST(Scaling, AStartTakesMachineImageWeightsAndEngine) {
  const auto start_s = [](int replicas, const std::string& more = {}) {
    const std::string times = "{at_s: 0, replicas: 1}, {at_s: 2, replicas: " + std::to_string(replicas) + "}";
    return ScaledRun(pool_with(scheduled(times, "provision_s: 3, image_bytes: 3.0e10, engine_init_s: 1" + more)), 20)
        .t.last_start_s;
  };
  const double image_s = 3e10 / storage_bytes_per_s;
  const double weights_s = weight_bytes / storage_bytes_per_s;
  EXPECT_NEAR(start_s(2), 3 + image_s + weights_s + 1, 1e-3);
  EXPECT_NEAR(start_s(3), 3 + 2 * (image_s + weights_s) + 1, 1e-3);
  EXPECT_NEAR(start_s(2, ", image_bytes_per_s: 7.5e9"), 3 + 4 + weights_s + 1, 1e-3);
}

TEST(Scaling, RentIsPaidFromTheDecisionUntilAllIsDone) {
  // From 4.5 s to 10.5 s a second replica is wanted. It serves from 6.57 s on, by turns the requests of 7 and 9 s, or
  // so: the one under way at 10.5 s is finished.
  const ScaledRun run(
      pool_with(scheduled("{at_s: 0, replicas: 1}, {at_s: 4.5, replicas: 2}, {at_s: 10.5, replicas: 1}",
                          "engine_init_s: 1")),
      20);
  EXPECT_EQ(run.t.starts, 1);
  EXPECT_EQ(run.t.stops, 1);
  EXPECT_EQ(run.t.most_serving, 2);
  double last_there_s = 10.5;
  for (const Row& r : run.rows)
    if (r.replica == 1) last_there_s = std::max(last_there_s, r.finish_s);
  EXPECT_NEAR(run.t.rented_s, run.t.duration_s + last_there_s - 4.5, 1e-9);
  EXPECT_NEAR(run.t.serving_s, run.t.duration_s + 6 - run.t.last_start_s, 1e-9);
  for (const Row& r : run.rows) EXPECT_EQ(r.status, static_cast<int>(RequestStatus::completed));
}

// Switched off until there is demand: the first request waits for a cold start, and so do those that come meanwhile.
TEST(Scaling, ToZeroAndBack) {
  const ScaledRun run(pool_with("autoscaler: {policy: hpa, requests_per_s: 2, check_every_s: 1, down_window_s: 3}, "
                                "scaling: {min_replicas: 0, engine_init_s: 1}",
                                4, 5),
                      5);
  const double start_s = weight_bytes / storage_bytes_per_s + 1;
  EXPECT_NEAR(run.rows[0].first_token_s, run.rows[0].arrival_s + start_s + step_s, 1e-3);
  EXPECT_EQ(run.t.starts, 1);
  for (const Row& r : run.rows) EXPECT_EQ(r.status, static_cast<int>(RequestStatus::completed));
}

// A warm replica serves after `warm_start_s`, and another one starts to take its place in the reserve.
TEST(Scaling, AReserveIsThereAtOnceAndIsFilledAgain) {
  const ScaledRun run(pool_with(scheduled("{at_s: 0, replicas: 1}, {at_s: 5, replicas: 2}",
                                          "warm_replicas: 1, warm_start_s: 0.25, engine_init_s: 1")),
                      20);
  EXPECT_EQ(run.t.woken, 1);
  EXPECT_EQ(run.t.starts, 1);
  EXPECT_DOUBLE_EQ(run.t.last_start_s, 0.25);
  EXPECT_NEAR(run.t.rented_s, 2 * run.t.duration_s + run.t.duration_s - 5, 1e-9);
}

// Notice of 5 s is enough to finish what is there: no request is interrupted, and another replica has started.
TEST(Scaling, ASpotMachineThatIsCalledBackIsReplaced) {
  const std::string fixed =
      "autoscaler: {policy: scheduled, times: [{at_s: 0, replicas: 1}]}, scaling: {engine_init_s: 1}";
  const auto event = [](const std::string& notice) {
    return "failures:\n  events: [{at_s: 4.2, node: 0, gpu: 0, " + notice + "down_s: 100}]\n";
  };
  const ScaledRun warned(pool_with(fixed, 2, 20, event("notice_s: 5, ")), 20);
  EXPECT_EQ(warned.t.interrupted, 0u);
  EXPECT_EQ(warned.t.starts, 1);
  EXPECT_EQ(warned.rows.back().replica, 1u);
  const ScaledRun interrupted(pool_with(fixed, 2, 20, event("")), 20);
  EXPECT_EQ(interrupted.t.interrupted, 1u);
  EXPECT_EQ(interrupted.t.starts, 1);
  for (const ScaledRun* run : {&warned, &interrupted})
    for (const Row& r : run->rows) EXPECT_EQ(r.status, static_cast<int>(RequestStatus::completed));
}

// The node breaks at 4.2 s. The spare stands in at once where no other replica is left to start, and a repaired node
// adds nothing; with another replica, the spare stays a spare until both are wanted at 20 s.
TEST(Scaling, ASpareStandsInWhereTooFewReplicasAreWhole) {
  const std::string failure = "failures:\n  spares: 1\n  events: [{at_s: 4.2, node: 0, gpu: 0, down_s: 100}]\n";
  const auto run = [&](int replicas, const std::string& later) {
    const std::string times = "{at_s: 0, replicas: 1}" + later;
    return ScaledRun(pool_with(scheduled(times, "engine_init_s: 1"), replicas, 40, failure), 40);
  };
  const ScaledRun alone = run(1, "");
  EXPECT_EQ(alone.t.stand_ins, 1);
  EXPECT_EQ(alone.t.starts, 1);
  EXPECT_NEAR(alone.t.last_start_s, weight_bytes / storage_bytes_per_s + 1, 1e-3);
  const ScaledRun two = run(2, "");
  EXPECT_EQ(two.t.stand_ins, 0);
  EXPECT_EQ(two.t.starts, 1);
  const ScaledRun both = run(2, ", {at_s: 20, replicas: 2}");
  EXPECT_EQ(both.t.stand_ins, 1);
  EXPECT_EQ(both.t.starts, 2);
  EXPECT_EQ(both.t.most_serving, 2);
  for (const ScaledRun* r : {&alone, &two, &both})
    for (const Row& row : r->rows) EXPECT_EQ(row.status, static_cast<int>(RequestStatus::completed));
}

/// Twenty clients of few sessions, whose prompts grow: what a cache holds matters.
std::string sessions_with(const std::string& scaling) {
  return R"(
workload:
  generate:
    requests: 600
    arrivals: {poisson: {requests_per_s: 20}}
    prompt_tokens: {fixed: 64}
    output_tokens: {fixed: 16}
    system_prompts: {count: 2, tokens: 2048}
slo: {ttft_s: 1}
cluster: {node: dgx_h100}
pools:
  - name: chat
    llm: llama-3.1-8b
    gpu: h100_sxm_80g
    replicas: 2
    kv_cache: {policy: paged_prefix}
    router: {policy: round_robin}
    autoscaler: {policy: scheduled, times: [{at_s: 0, replicas: 1}, {at_s: 5, replicas: 2}]}
    scaling: )" +
         scaling + "\n";
}

TEST(Scaling, MirroredPromptsFillANewReplicasCache) {
  const auto misses = [](const std::string& scaling) {
    return std::stoi(in_child([&] {
      Scenario scenario = scenario_from(sessions_with(scaling));
      const Finished done = run_it(scenario);
      int missed = 0;
      for (const RequestRecord& r : done.recorder.requests()) missed += index(r.replica) == 1 && r.cached_tokens == 0;
      return fmt::format("{}", done.facts.scaling[0].mirrored > 0 ? missed : missed + 1000);
    }));
  };
  EXPECT_EQ(misses("{engine_init_s: 1, mirror: {fraction: 0.5, for_s: 5}}"), 0);
  EXPECT_GE(misses("{engine_init_s: 1}"), 1002);  // one for each system prompt, and nothing was mirrored
}

// Sequences that decode go to the other replica: the one that leaves is soon empty.
TEST(Scaling, DrainsFasterWhereSequencesMove) {
  const auto rented_s = [](const std::string& drain) {
    const std::string text =
        "workload:\n  generate:\n    requests: 8\n    arrivals: {constant: {requests_per_s: 4}}\n"
        "    prompt_tokens: {fixed: 160}\n    output_tokens: {fixed: 1000}\n"
        "cluster: {node: dgx_h100}\npools:\n  - {name: chat, llm: llama-3.1-8b, gpu: h100_sxm_80g, "
        "engine: none, router: {policy: round_robin}, replicas: 2, migration: {policy: llumnix}, " +
        scheduled("{at_s: 0, replicas: 2}, {at_s: 3, replicas: 1}", "start_replicas: 2, drain: " + drain) + "}\n";
    return ScaledRun(text, 8);
  };
  const ScaledRun finishing = rented_s("finish");
  const ScaledRun migrating = rented_s("migrate");
  for (const ScaledRun* run : {&finishing, &migrating})
    for (const Row& r : run->rows) EXPECT_EQ(r.status, static_cast<int>(RequestStatus::completed));
  EXPECT_GT(finishing.t.rented_s - finishing.t.duration_s, 30);
  EXPECT_LT(migrating.t.rented_s - migrating.t.duration_s, 4);
}

/// A day of six minutes on one to six replicas, and no error in any request.
std::string day_with(const std::string& autoscaler, const std::string& scaling, std::uint64_t seed) {
  return R"(
workload:
  generate:
    requests: 2500
    arrivals: {poisson: {requests_per_s: 25}, day_curve: {period_s: 100, peak_factor: 1.9, peak_s: 50}}
    prompt_tokens: {lognormal: {median: 400, sigma: 0.8}, max: 4000}
    output_tokens: {exponential: {mean: 120}, max: 800}
slo: {ttft_s: 0.5, tpot_s: 0.02, target_fraction: 0.9}
cluster: {node: dgx_h100}
seed: )" +
         std::to_string(seed) +
         "\npools:\n  - {name: chat, llm: llama-3.1-8b, gpu: h100_sxm_80g, replicas: 6, migration: {policy: "
         "llumnix}, "
         "autoscaler: " +
         autoscaler + ", scaling: " + scaling + "}\n";
}

class AnyScaler : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(
    All, AnyScaler,
    testing::Values("{policy: hpa, requests_per_s: 9, check_every_s: 5, down_window_s: 10}",
                    "{policy: hpa, slo: true, kv_used_fraction: 0.05, check_every_s: 5, down_window_s: 10}",
                    "{policy: llumnix_freeness, up_below: 900, down_above: 4000, check_every_s: 5}",
                    "{policy: predictive, requests_per_s: 9, check_every_s: 5, lead_s: 10, season_s: 100}",
                    "{policy: planner, check_every_s: 5}"));

TEST_P(AnyScaler, ServesEveryRequestOnceAndKeepsItsBoundsHoweverOneLooks) {
  const std::vector<std::string> scalings{"{min_replicas: 1, provision_s: 1, engine_init_s: 2}",
                                          "{min_replicas: 0, engine_init_s: 2, warm_replicas: 1, drain: migrate}",
                                          "{min_replicas: 1, start_replicas: 5, engine_init_s: 2, image_bytes: "
                                          "1.0e10, mirror: {fraction: 0.2, for_s: 2}}"};
  for (std::uint64_t seed = 0; seed < scalings.size(); ++seed) {
    const std::string text = day_with(GetParam(), scalings[seed], seed + 1);
    const std::string lazy = everything_of(text, false);
    EXPECT_EQ(lazy, everything_of(text, true)) << "seed " << seed;
    const std::string checked = in_child([&] {
      Scenario scenario = scenario_from(text);
      const Finished done = run_it(scenario);
      std::string wrong;
      for (const RequestRecord& r : done.recorder.requests())
        if (r.status != RequestStatus::completed) wrong += fmt::format("{} not completed\n", index(r.id));
      const ScalingTotals& t = done.facts.scaling[0];
      if (done.recorder.requests().size() != 2500) wrong += "not all\n";
      if (t.starts + t.stops < 2) wrong += fmt::format("only {} starts, {} stops\n", t.starts, t.stops);
      if (t.serving_s > t.rented_s || t.rented_s > 6 * done.facts.duration_s) wrong += "rent\n";
      if (t.most_serving > 6) wrong += "too many\n";
      return wrong;
    });
    EXPECT_EQ(checked, "") << "seed " << seed;
  }
}

// Prompts and decodes apart, each pool with an autoscaler of its own.
TEST(Scaling, OfBothSidesOfAHandOver) {
  const std::string text = R"(
workload:
  generate:
    requests: 1500
    arrivals: {poisson: {requests_per_s: 25}, day_curve: {period_s: 60, peak_factor: 1.9, peak_s: 30}}
    prompt_tokens: {lognormal: {median: 800, sigma: 0.8}, max: 4000}
    output_tokens: {exponential: {mean: 120}, max: 800}
slo: {ttft_s: 0.5, tpot_s: 0.02}
cluster: {node: dgx_h100}
pools:
  - name: prefill
    llm: llama-3.1-8b
    gpu: h100_sxm_80g
    replicas: 4
    placement: {policy: disaggregated, decode_pool: decode}
    autoscaler: {policy: planner, check_every_s: 5}
    scaling: {start_replicas: 2, engine_init_s: 1}
  - name: decode
    llm: llama-3.1-8b
    gpu: h100_sxm_80g
    replicas: 4
    autoscaler: {policy: hpa, requests_per_s: 12, check_every_s: 5, down_window_s: 5}
    scaling: {start_replicas: 4, engine_init_s: 1}
)";
  const std::string lazy = everything_of(text, false);
  EXPECT_EQ(lazy, everything_of(text, true));
  EXPECT_NE(lazy.find("\"completed\": 1500"), std::string::npos);
  EXPECT_NE(lazy.find("\"autoscaler\": \"hpa\""), std::string::npos);
}

// What the guide says of scenarios/autoscaling.yaml.
TEST(Scaling, OverADayAModelOfThePoolKeepsThePromiseForLessAndQueuesTellTooLate) {
  const auto day = [](const std::string& autoscaler) {
    return in_child([&] {
      Scenario scenario = load_scenario(std::string(SERVECAST_SOURCE_DIR) + "/scenarios/autoscaling.yaml",
                                        {{"pools[0].autoscaler", autoscaler}});
      const Finished done = run_it(scenario);
      const Summary s = summarise(done.recorder, done.facts);
      return fmt::format("{} {}", s.slo.met(), s.scaling[0].saved_fraction > 0.35);
    });
  };
  EXPECT_EQ(day("{policy: planner, check_every_s: 30}"), "true true");
  EXPECT_EQ(day("{policy: hpa, waiting_requests: 4}").substr(0, 5), "false");
}

}  // namespace servecast::scaling_test
