// The replica against results that nobody here made up: queueing theory.
#include <gtest/gtest.h>

#include "models/base/rng.h"
#include "tests/unit/serving/fixture.h"

namespace servecast {
namespace {

/// Adds up waiting times and forgets the rest.
struct WaitListener final : ReplicaListener {
  double waited_s = 0;
  std::int64_t served = 0;
  void request_done(const Request&, const RequestRecord& r) override {
    waited_s += *r.scheduled_s - r.arrival_s;
    ++served;
  }
  void request_waited(PoolId, double, double) override {}
  void request_ran(PoolId, double, double) override {}
  void token_gap(PoolId, double, std::int64_t) override {}
  void step_done(const StepRecord&, std::span<const StepMember>) override {}
  bool wants_members(double) const override { return false; }
};

double mean_wait_s(double load, double service_s, std::uint32_t requests) {
  const LinearLatency latency(service_s);
  Replica replica = make_replica(latency, {.max_num_seqs = 1});
  Rng rng(1, "arrivals");
  WaitListener heard;
  double at_s = 0;
  for (std::uint32_t i = 0; i < requests; ++i) {
    at_s += rng.exponential(service_s / load);
    replica.advance(at_s, heard);
    replica.enqueue({.id = RequestId{i}, .arrival_s = at_s, .prompt_tokens = 10, .output_tokens = 1}, at_s, heard);
  }
  replica.advance(Replica::infinity, heard);
  EXPECT_EQ(heard.served, requests);
  return heard.waited_s / requests;
}

// One request at a time, Poisson arrivals, every service the same: M/D/1, mean wait = load x service / (2 (1 -
// load)).
TEST(QueueingTheory, OneAtATimeWithConstantServiceIsMD1) {
  for (double load : {0.5, 0.8, 0.9}) {
    const double expected_s = load * 0.1 / (2 * (1 - load));
    EXPECT_NEAR(mean_wait_s(load, 0.1, 1'000'000) / expected_s, 1, 0.02) << load;
  }
}

// No queue, no wait; a server asked for more than it can do falls behind without bound.
TEST(QueueingTheory, ExtremesBehave) {
  EXPECT_LT(mean_wait_s(0.001, 0.1, 10'000), 1e-4);
  EXPECT_GT(mean_wait_s(1.1, 0.1, 40'000), 2 * mean_wait_s(1.1, 0.1, 10'000));
}

}  // namespace
}  // namespace servecast
