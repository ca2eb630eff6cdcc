// semi-PD against SGLang with DeepSeek-V2-Lite on one A100: 1.27 to 2.40 times shorter end to end, from 6 to 14
// requests/s. Asserted: sooner at every rate and the more so the higher it is, by 1.2 to 2.7 times from 14 requests/s
// on, and a shorter time per output token throughout. Missed: the band at 6 and 10 requests/s, with 1.05 and 1.15
// times; prompts cost the SGLang of the paper three times as much (P90 of the first token 220 ms at 6 requests/s, ours
// 66), which slows its decodes (137 ms per token at 14 requests/s, ours 67) and not those of semi-PD (43 ms, ours 54).
#include "tests/unit/papers/papers.h"

namespace servecast {
namespace {

TEST(S7, SemiPdAnswersSoonerThanSglang) {
  double before = 1;
  for (const int rate : {6, 10, 14, 18}) {
    const Override at{"workload.generate.arrivals.poisson.requests_per_s", std::to_string(rate)};
    const PaperRun semi(paper("s7_semi_pd_sglang", {at}));
    const PaperRun sglang(paper("s7_semi_pd_sglang", {at, {"pools[0].placement", "{policy: colocated}"}}));
    const double ratio = sglang.summary.latencies.e2e_s->mean / semi.summary.latencies.e2e_s->mean;
    EXPECT_GT(ratio, before) << rate;
    before = ratio;
    if (rate >= 14) {
      EXPECT_GE(ratio, 1.2) << rate;
      EXPECT_LE(ratio, 2.7) << rate;
    }
    EXPECT_LT(semi.summary.latencies.tpot_s->p90, sglang.summary.latencies.tpot_s->p90) << rate;
    RecordProperty("ratio_at_" + std::to_string(rate), std::to_string(ratio));
  }
}

}  // namespace
}  // namespace servecast
