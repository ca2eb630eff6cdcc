// Autoscalers, each against rules that others have written down.
#include "models/policy/autoscaler.h"

#include <gtest/gtest.h>

#include "models/policy/shared/replica_capacity.h"
#include "sim/contract/set_by_key.h"

namespace servecast::autoscaler_test {

using Settings = std::map<std::string, std::string>;

std::unique_ptr<Autoscaler> made(const std::string& policy, Settings settings) {
  return made_policy<Autoscaler>(policy, std::move(settings));
}

struct Fixed final : ReplicaCapacity {
  double requests_per_s(double prompt_tokens, double output_tokens) const override {
    return 1000 / (prompt_tokens + output_tokens);
  }
};

PoolLoad queues(double now_s, std::span<const ReplicaView> serving, std::int64_t coming = 0) {
  return {.now_s = now_s, .since_s = now_s - 15, .serving = serving, .coming = coming};
}

std::vector<ReplicaView> waiting(std::initializer_list<std::int64_t> requests) {
  std::vector<ReplicaView> views;
  for (const std::int64_t n : requests) views.push_back({.waiting_requests = n, .total_blocks = 100});
  return views;
}

// The examples of Kubernetes' documentation: a metric of 200 against a target of 100 doubles the replicas, one of 50
// halves them, and one within a tenth of the target changes nothing.
TEST(Hpa, FollowsTheRatioOfMetricAndTarget) {
  const auto hpa = [] { return made("hpa", {{"waiting_requests", "100"}, {"down_window_s", "0"}}); };
  EXPECT_EQ(hpa()->wanted(queues(15, waiting({200, 200}))), 4);
  EXPECT_EQ(hpa()->wanted(queues(15, waiting({50, 50, 50, 50}))), 2);
  EXPECT_EQ(hpa()->wanted(queues(15, waiting({109, 109, 109}))), 3);
  EXPECT_EQ(hpa()->wanted(queues(15, waiting({91, 91, 91}))), 3);
  EXPECT_EQ(hpa()->wanted(queues(15, waiting({111, 111, 111}))), 4);
}

TEST(Hpa, GrowsByHundredPercentOrFourPerLook) {
  const auto hpa = [] { return made("hpa", {{"waiting_requests", "1"}}); };
  EXPECT_EQ(hpa()->wanted(queues(15, waiting({1000}))), 5);
  EXPECT_EQ(hpa()->wanted(queues(15, waiting({90, 90, 90, 90, 90, 90}))), 12);
}

TEST(Hpa, HoldsOnForFiveMinutesBeforeItShrinks) {
  const auto hpa = made("hpa", {{"waiting_requests", "10"}});
  EXPECT_EQ(hpa->wanted(queues(15, waiting({20, 20}))), 4);
  const auto idle = waiting({0, 0, 0, 0});
  for (double now_s = 30; now_s <= 315; now_s += 15) EXPECT_EQ(hpa->wanted(queues(now_s, idle)), 4) << now_s;
  EXPECT_EQ(hpa->wanted(queues(330, idle)), 0);
}

TEST(Hpa, CountsWhoIsOnTheWay) {
  const auto hpa = made("hpa", {{"waiting_requests", "10"}});
  EXPECT_EQ(hpa->wanted(queues(15, waiting({20, 20}), 2)), 4);
}

TEST(Llumnix, KeepsTheMeanFreenessBetweenItsBounds) {
  const auto scaler = made("llumnix_freeness", {});
  const auto with = [&](std::int64_t requests, std::int64_t used, std::int64_t coming) {
    const std::vector<ReplicaView> views(3,
                                         {.running_requests = requests, .used_blocks = used, .total_blocks = 1000});
    return scaler->wanted({.serving = views, .coming = coming, .block_tokens = 16});
  };
  EXPECT_EQ(with(50, 510, 0), 4);  // 9.8 free blocks per request
  EXPECT_EQ(with(50, 500, 0), 3);  // 10
  EXPECT_EQ(with(10, 400, 0), 3);  // 60
  EXPECT_EQ(with(10, 390, 0), 2);  // 61
  EXPECT_EQ(with(50, 510, 1), 4);  // one comes already: as many as there are
}

TEST(Scheduled, FollowsTheClockDayByDay) {
  const auto scaler = made("scheduled", {{"period_s", "100"},
                                         {"times.0.at_s", "10"},
                                         {"times.0.replicas", "2"},
                                         {"times.1.at_s", "60"},
                                         {"times.1.replicas", "5"}});
  const auto at = [&](double now_s) { return scaler->wanted({.now_s = now_s}); };
  EXPECT_EQ(at(0), 5);  // of the day before
  EXPECT_EQ(at(10), 2);
  EXPECT_EQ(at(59), 2);
  EXPECT_EQ(at(60), 5);
  EXPECT_EQ(at(109), 5);
  EXPECT_EQ(at(110), 2);
  EXPECT_EQ(scaler->next_evaluation_s(0), 10);
  EXPECT_EQ(scaler->next_evaluation_s(10), 60);
  EXPECT_EQ(scaler->next_evaluation_s(60), 110);
}

// A ramp of 1 request/s per interval, known without noise: level and trend follow it, and the forecast leads.
TEST(Predictive, LeadsARamp) {
  const auto scaler = made("predictive", {{"requests_per_s", "1"},
                                          {"check_every_s", "1"},
                                          {"lead_s", "10"},
                                          {"season_s", "1000"},
                                          {"headroom_fraction", "0"},
                                          {"level", "1"},
                                          {"trend", "1"}});
  std::int64_t wanted = 0;
  for (int i = 1; i <= 50; ++i) wanted = scaler->wanted({.now_s = 1.0 * i, .since_s = i - 1.0, .arrived = 100 + i});
  EXPECT_EQ(wanted, 100 + 50 + 10);
}

// A day of two levels that repeats: from the second day on the change is foreseen `lead_s` before it comes.
TEST(Predictive, KnowsTheDay) {
  const auto scaler = made("predictive", {{"requests_per_s", "1"},
                                          {"check_every_s", "1"},
                                          {"lead_s", "5"},
                                          {"season_s", "40"},
                                          {"headroom_fraction", "0"}});
  const auto rate = [](int i) { return i % 40 < 20 ? 10 : 50; };
  for (int i = 0; i < 400; ++i) {
    const std::int64_t wanted = scaler->wanted({.now_s = i + 1.0, .since_s = 1.0 * i, .arrived = rate(i)});
    if (i >= 40) {
      EXPECT_NEAR(wanted, rate(i + 1 + 5), 1) << i;
    }
  }
}

TEST(Planner, DividesTheRateByWhatOneBears) {
  const auto scaler = made("planner", {{"headroom_fraction", "0.2"}});
  const Fixed capacity;
  const auto look = [&](double now_s, std::int64_t arrived, std::int64_t finished) {
    return scaler->wanted({.now_s = now_s,
                           .since_s = now_s - 60,
                           .coming = 3,
                           .arrived = arrived,
                           .prompt_tokens = 400 * arrived,
                           .finished = finished,
                           .output_tokens = 100 * finished,
                           .capacity = &capacity});
  };
  EXPECT_EQ(look(60, 600, 0), 3);    // it is not known yet how long outputs are
  EXPECT_EQ(look(120, 600, 10), 6);  // 12 requests/s with headroom, 2 for each
  EXPECT_EQ(look(180, 0, 5), 0);
}

/// A step takes 10 ms and 0.1 ms per sequence; a prompt 0.1 ms per token.
struct SimpleSteps final : PoolProbe {
  std::int64_t cached_tokens(const Request&, std::size_t) const override { return 0; }
  std::int64_t block_tokens() const override { return 16; }
  double prefill_s(std::int64_t prompt_tokens, std::int64_t) const override {
    return 1e-4 * static_cast<double>(prompt_tokens);
  }
  double decode_step_s(std::int64_t sequences, std::int64_t) const override {
    return 0.01 + 1e-4 * static_cast<double>(sequences);
  }
  double copy_s(std::size_t, std::size_t, std::int64_t) const override { return 0; }
};

// Without a bound on time: 100 sequences, a step of 20 ms; 100 = x (101 - 1) TPOT and TPOT = 20 ms / (1 - 0.02 x).
TEST(SteadyCapacity, IsLittlesLaw) {
  const SimpleSteps steps;
  const SteadyCapacity capacity(steps, {.max_sequences = 100, .kv_tokens = 1'000'000});
  const double x = capacity.requests_per_s(200, 101);
  EXPECT_NEAR(x, 100 / (100 * 0.02 + 100 * 0.02), 1e-12);
  EXPECT_NEAR(x * 100 * (0.02 / (1 - 0.02 * x)), 100, 1e-9);
}

TEST(SteadyCapacity, IsLessWithABoundOnTpot) {
  const SimpleSteps steps;
  const CapacityBounds bounds{.max_sequences = 100, .kv_tokens = 1'000'000, .tpot_s = 0.02};
  const double x = SteadyCapacity(steps, bounds).requests_per_s(200, 101);
  // n sequences: x = n / (100 d + 0.02 n), TPOT = d / (1 - 0.02 x) with d = 0.01 + 0.0001 n
  const auto tpot_of = [](double n) {
    const double d = 0.01 + 1e-4 * n;
    return d / (1 - 0.02 * n / (100 * d + 0.02 * n));
  };
  const auto rate_of = [](double n) { return n / (100 * (0.01 + 1e-4 * n) + 0.02 * n); };
  double n = 1;
  while (tpot_of(n + 1) <= 0.02) n += 1;
  EXPECT_NEAR(x, rate_of(n), 1e-12);
  EXPECT_LT(n, 100);
}

// M/D/1: at load r a prompt of 20 ms waits r 20 ms / (2 (1 - r)); 40 ms in all allow r = 2/3.
TEST(SteadyCapacity, OfAPoolThatOnlyComputesPromptsIsAQueue) {
  const SimpleSteps steps;
  const SteadyCapacity capacity(steps, {.kv_tokens = 1000, .decodes = false, .ttft_s = 0.04});
  EXPECT_NEAR(capacity.requests_per_s(200, 100), 2.0 / 3 / 0.02, 1e-9);
}

}  // namespace servecast::autoscaler_test
