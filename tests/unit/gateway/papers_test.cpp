// FrugalGPT beside its published figures (sim/reproduce/systems/frugalgpt.cpp).
#include "tests/unit/papers/papers.h"

#include <array>

namespace servecast::papers_test {

// Latency is the sum over the models asked: the third costs those it answers three calls.
TEST(FrugalGpt, WhoIsAskedLastHasWaitedForTheOthers) {
  const PaperRun run(paper("frugalgpt", {{"gateway[3].accept_above", "[0.9, 0.9]"}}));
  std::array<double, 4> sum{};
  std::array<double, 4> count{};
  for (std::size_t i = 0; i < run.recorder.requests().size(); ++i) {
    const RequestRecord& r = run.recorder.requests()[i];
    const std::size_t llm_calls = run.recorder.gateway_requests()[i].llm_calls;
    sum[llm_calls] += *r.finish_s - r.arrival_s;
    count[llm_calls] += 1;
  }
  ASSERT_GT(count[1], 100);
  ASSERT_GT(count[3], 100);
  EXPECT_NEAR(sum[3] / count[3] / (sum[1] / count[1]), 3, 0.1);
}

}  // namespace servecast::papers_test
