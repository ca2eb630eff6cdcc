// Mooncake's prefill scheduling: mean TTFT of 19.65 s at random, 5.27 s balanced, 3.58 s with local caches, 3.07 s
// with the global one. Asserted: this order, and random at least 4 times global.
#include <fmt/format.h>

#include "tests/unit/papers/papers.h"

namespace servecast::s9_test {

TEST(S9, SchedulersRankAsInThePaper) {
  const std::string trace = trace_file("mooncake/conversation_trace.jsonl.gz");
  if (trace.empty()) GTEST_SKIP() << "no traces here";
  const auto ttft_s = [&](std::vector<Override> router) {
    router.push_back({"workload.trace.path", trace});
    return PaperRun(paper("s9_mooncake_scheduling", router)).summary.latencies.ttft_s->mean;
  };
  const double random_s = ttft_s({{"pools[0].router.policy", "random"}});
  const double balanced_s = ttft_s({{"pools[0].router.policy", "least_loaded"}});
  const double local_s = ttft_s({{"pools[0].router.transfer", "false"}});
  const double global_s = ttft_s({});
  EXPECT_GT(random_s, balanced_s);
  EXPECT_GT(balanced_s, local_s);
  EXPECT_GT(local_s, global_s);
  EXPECT_GE(random_s / global_s, 4);
  expect_in_section("S9",
                    fmt::format("| {:.2f}, {:.2f}, {:.2f}, {:.2f} s |", random_s, balanced_s, local_s, global_s));
  expect_in_section("S9", fmt::format("{:.1f} ours", random_s / global_s));
}

}  // namespace servecast::s9_test
