// Decisions at a pool's gate, worked out by hand.
#include "models/policy/admission.h"

#include <gtest/gtest.h>

#include "sim/contract/made_up_pool.h"
#include "tests/unit/serving/fixture.h"

namespace servecast::admission_test {

// Two per second, three saved. Three at 0 s; the fourth is one too many; at 0.4 s 0.8 are back, at 0.5 s one.
TEST(TokenBucket, RefillsUpToItsBurst) {
  const auto gate = make_policy<Admission>("token_bucket", {{"rate_per_s", 2}, {"burst", 3}});
  const MadeUpPool pool = idle_pool(1);
  const auto admits = [&](double at_s, std::uint32_t client = 1) {
    return gate->admits({.arrival_s = at_s, .client = ClientId{client}}, pool.seen());
  };
  EXPECT_TRUE(admits(0) && admits(0) && admits(0));
  EXPECT_FALSE(admits(0));
  EXPECT_TRUE(admits(0, 2)) << "another client's bucket is full";
  constexpr std::uint32_t labelled = 0x80000001;  // the first client that a scenario names
  EXPECT_TRUE(admits(0, labelled) && admits(0, labelled) && admits(0, labelled));
  EXPECT_FALSE(admits(0, labelled));
  EXPECT_FALSE(admits(0.4));
  EXPECT_TRUE(admits(0.5));
  EXPECT_FALSE(admits(0.5));
  EXPECT_TRUE(admits(100) && admits(100) && admits(100));
  EXPECT_FALSE(admits(100)) << "nothing is saved beyond the burst";
}

// Two replicas and two waiting requests for each: the fifth is one too many, wherever they wait.
TEST(QueueLimit, CountsWhoWaitsAnywhere) {
  const auto gate = make_policy<Admission>("queue_limit", {{"max_waiting_requests", 2}});
  MadeUpPool pool = idle_pool(2);
  pool.views[0].running_requests = 50;
  pool.views[1].waiting_requests = 3;
  EXPECT_TRUE(gate->admits({}, pool.seen()));
  pool.views[0].waiting_requests = 1;
  EXPECT_FALSE(gate->admits({}, pool.seen()));
}

// The idler replica has 2 s queued, this prompt takes 1 s, half of it cached: 2.5 s. Seven decode on two replicas,
// and with this one eight: four each, a step of 4 ms.
TEST(EarlyReject, TakesTheLargerOfBothLoads) {
  MadeUpPool pool = idle_pool(2);
  pool.views[0].waiting_requests = 3;
  pool.views[0].waiting_tokens = 3000;
  pool.views[1].waiting_requests = 2;
  pool.views[1].waiting_tokens = 2000;
  pool.views[0].running_requests = 7;
  pool.cached = {0, 500};
  const auto admits = [&](double ttft_slo_s, double tbt_slo_s, double threshold) {
    return make_policy<Admission>("early_reject",
                                  {{"ttft_slo_s", ttft_slo_s}, {"tbt_slo_s", tbt_slo_s}, {"threshold", threshold}})
        ->admits({.prompt_tokens = 1000}, pool.seen());
  };
  EXPECT_TRUE(admits(2.51, 0.0041, 1));
  EXPECT_FALSE(admits(2.49, 0.0041, 1));
  EXPECT_FALSE(admits(2.51, 0.0039, 1));
  EXPECT_TRUE(admits(1.3, 0.0021, 2));
}

// Where another pool decodes, its step counts: 4 decode on its one replica, so a fifth makes it 5 ms. The prefilling
// replica has nothing to decode. By stage, the same is asked once the prompt is computed.
TEST(Admission, LooksAtThePoolThatDecodes) {
  MadeUpPool prefill = idle_pool(1);
  MadeUpPool decode = idle_pool(1);
  decode.views[0].running_requests = 4;
  const ReplicaViews decoding = decode.seen();
  const ReplicaViews both(prefill.views, {}, prefill, &decoding);
  const Request request{.prompt_tokens = 1000};
  for (const auto& [bound, fits] : {std::pair(0.0049, false), std::pair(0.0051, true)}) {
    const auto make = [&](const char* name) {
      return make_policy<Admission>(name, {{"ttft_slo_s", 10}, {"tbt_slo_s", bound}});
    };
    EXPECT_EQ(make("early_reject")->admits(request, both), fits);
    EXPECT_TRUE(make("early_reject")->admits(request, prefill.seen()));
    const auto by_stage = make("reject_by_stage");
    EXPECT_TRUE(by_stage->admits(request, both));
    EXPECT_EQ(by_stage->admits_decode(request, decoding), fits);
  }
  EXPECT_FALSE(make_policy<Admission>("reject_by_stage", {{"ttft_slo_s", 0.9}})->admits(request, both));
}

// One replica on which at most 2 shall decode (a step of 2 ms), every request for 10 s. Prompts that come at 0 and 1
// s are done at 2 and 3 s. The next would be done at 4 s, as the third; a look at the load of now, when none
// decodes yet, would let it in. At 11.5 s both decode; a prompt that takes 1 s is done when the first has gone. At 30
// s both should have, and if they have not they will soon.
TEST(EarlyRejectPredicted, LooksAtTheTimeWhenThePromptIsDone) {
  MadeUpPool pool = idle_pool(1);
  const std::map<std::string, double> limits{{"ttft_slo_s", 100}, {"tbt_slo_s", 0.0021}};
  auto settings = limits;
  settings["decode_s"] = 10;
  const auto gate = make_policy<Admission>("early_reject_predicted", settings);
  const auto now_only = make_policy<Admission>("early_reject", limits);
  const auto waiting = [&](std::int64_t tokens) { pool.views[0] = {.waiting_tokens = tokens, .total_blocks = 100}; };
  EXPECT_TRUE(gate->admits({.arrival_s = 0, .prompt_tokens = 2000}, pool.seen()));
  waiting(1000);
  EXPECT_TRUE(gate->admits({.arrival_s = 1, .prompt_tokens = 1000}, pool.seen()));
  waiting(1500);
  EXPECT_FALSE(gate->admits({.arrival_s = 1.5, .prompt_tokens = 1000}, pool.seen()));
  EXPECT_TRUE(now_only->admits({.arrival_s = 1.5, .prompt_tokens = 1000}, pool.seen()));
  pool.views[0] = {.running_requests = 2, .total_blocks = 100};
  EXPECT_TRUE(gate->admits({.arrival_s = 11.5, .prompt_tokens = 1000}, pool.seen()));
  EXPECT_FALSE(now_only->admits({.arrival_s = 11.5, .prompt_tokens = 1000}, pool.seen()));
  EXPECT_TRUE(gate->admits({.arrival_s = 30, .prompt_tokens = 1000}, pool.seen()));
}

}  // namespace servecast::admission_test
