// semi-PD against SGLang with DeepSeek-V2-Lite on one A100: 1.27 to 2.40 times shorter end to end, from 6 to 14
// requests/s. Asserted: sooner by 1.2 to 2.7 times at every rate, and the more so the higher it is; the P90 of the
// time per output token of both systems at 6 and 14 requests/s (42 and 137 ms, 30 and 43 ms), of which one was given:
// that of SGLang at 6 requests/s, on which the host time of its prompts was set.
//
// Missed: first tokens, which take 112 and 121 ms (P90) with SGLang, published 220 and 450 ms.
#include <fmt/format.h>

#include <map>

#include "tests/unit/papers/papers.h"

namespace servecast::s7_test {

TEST(S7, SemiPdAnswersSoonerThanSglang) {
  std::map<int, double> sglang_tpot_s;
  std::map<int, double> semi_tpot_s;
  std::map<int, double> ratios;
  double before = 1.2;
  for (const int rate : {6, 10, 14, 18}) {
    const Override at{"workload.generate.arrivals.poisson.requests_per_s", std::to_string(rate)};
    const PaperRun semi(paper("s7_semi_pd_sglang", {at}));
    const PaperRun sglang(paper("s7_semi_pd_sglang", {at, {"pools[0].placement", "{policy: colocated}"}}));
    const double ratio = sglang.summary.latencies.e2e_s->mean / semi.summary.latencies.e2e_s->mean;
    EXPECT_GT(ratio, rate < 18 ? before : 1.2) << rate;  // at 18 both have more to do than they can
    EXPECT_LE(ratio, 2.7) << rate;
    before = ratio;
    sglang_tpot_s[rate] = sglang.summary.latencies.tpot_s->p90;
    semi_tpot_s[rate] = semi.summary.latencies.tpot_s->p90;
    ratios[rate] = ratio;
  }
  expect_in_section(
      "S7",
      fmt::format("| {:.2f} times at 6 requests/s, {:.2f} at 10, {:.2f} at 14, {:.2f} at 18; {:.0f} to {:.0f} ms and "
                  "{:.0f} to {:.0f} ms;",
                  ratios[6], ratios[10], ratios[14], ratios[18], 1e3 * sglang_tpot_s[6], 1e3 * sglang_tpot_s[14],
                  1e3 * semi_tpot_s[6], 1e3 * semi_tpot_s[14]));
  EXPECT_NEAR(sglang_tpot_s[6], 0.042, 0.002) << "what it was set on";
  EXPECT_NEAR(sglang_tpot_s[14] / 0.137, 1, 0.1);
  EXPECT_NEAR(semi_tpot_s[6] / 0.030, 1, 0.25);
  EXPECT_NEAR(semi_tpot_s[14] / 0.043, 1, 0.25);
}

}  // namespace servecast::s7_test
