// What a replica bears by the formula against what the simulation says.
#include "models/policy/shared/replica_capacity.h"

#include <gtest/gtest.h>

#include "sim/engine/cluster/pool_answers.h"
#include "tests/unit/engine/scenario_text.h"
#include "tests/unit/engine/whole_runs.h"

namespace servecast::replica_capacity_test {

/// Share of requests within the SLO at so many times what one replica bears by SteadyCapacity.
double attained_at(double times) {
  return std::stod(in_child([&] {
    const std::vector<Override> one{{"slo", "{ttft_s: 0.5, tpot_s: 0.016}"}, {"pools[0].replicas", "1"}};
    Scenario sized = scenario_from(small_chat, one);
    const Pool& pool = sized.pools[0];
    const PoolPace pace(pool, KvCopy(pool, sized.groups[0].node, sized.groups[0].fabric));
    const PoolAnswers steps({}, {}, pace);
    const SteadyCapacity capacity(steps, {.max_sequences = pool.spec.batcher.make()->max_sequences(),
                                          .kv_tokens = pool.memory.kv_pool_tokens,
                                          .ttft_s = 0.5,
                                          .tpot_s = 0.016});
    const double rate = times * capacity.requests_per_s(549, 120);  // 400 exp(0.8^2 / 2), cut at 4,000
    std::vector<Override> overrides = one;
    overrides.push_back({"workload.generate.arrivals.poisson.requests_per_s", fmt::format("{}", rate)});
    Scenario scenario = scenario_from(small_chat, overrides);
    const Finished done = run_it(scenario);
    return fmt::format("{}", *summarise(done.recorder, done.facts).slo.attained_fraction);
  }));
}

// The formula is of means, without the noise of arrivals: nine of ten keep the promise a tenth below it, not a tenth
// above.
TEST(SteadyCapacity, WhatAReplicaBearsIsWhatTheSimulationSays) {
  EXPECT_GT(attained_at(0.9), 0.9);
  EXPECT_LT(attained_at(1.1), 0.9);
}

}  // namespace servecast::replica_capacity_test
