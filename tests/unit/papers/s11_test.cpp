// Mooncake's split of 16 nodes: with 5 prefill nodes 77 % of requests are inside both bounds, with 6 97 %, with 7 to
// 9 99 %, with 10 98.5 %, with 11 86 %. Asserted: it rises to one peak, with 40 to 65 % of the nodes for prompts, and
// does not rise after it.
//
// Not reached: the fall to 86 % with 11 prefill nodes. Decodes of 15,000 tokens take 20 ms here, 32 to 58 ms there;
// with these kernels even one decode node would keep 0.1 s.
#include <fmt/format.h>

#include <algorithm>

#include "tests/unit/in_child.h"
#include "tests/unit/papers/papers.h"

namespace servecast::s11_test {

struct Outcome {
  double attained_fraction = 0;
  double ttft_s = 0;
  double tpot_s = 0;
};

Outcome split(const std::string& trace, std::int64_t prefill_nodes) {
  const auto outcome = in_child<3>([&] {
    const PaperRun run(paper("s11_mooncake_split", {{"workload.trace.path", trace},
                                                    {"pools[0].replicas", std::to_string(prefill_nodes)},
                                                    {"pools[1].replicas", std::to_string(16 - prefill_nodes)}}),
                       Network::simgrid);
    const Summary& s = run.summary;
    return std::array{*s.slo.attained_fraction, s.latencies.ttft_s->mean, s.latencies.tpot_s->mean};
  });
  return {.attained_fraction = outcome[0], .ttft_s = outcome[1], .tpot_s = outcome[2]};
}

TEST(S11, OnePeakBetweenTooFewPrefillAndTooFewDecodeNodes) {
  const std::string trace = trace_file("mooncake/synthetic_trace.jsonl.gz");
  if (trace.empty()) GTEST_SKIP() << "no traces here";
  constexpr std::int64_t first = 5;
  std::vector<Outcome> by_split;
  std::string attained;
  for (std::int64_t prefill = first; prefill <= 11; ++prefill) {
    by_split.push_back(split(trace, prefill));
    const Outcome& o = by_split.back();
    attained += fmt::format("{}{:.1f}", attained.empty() ? "" : ", ", 100 * o.attained_fraction);
  }
  expect_in_section(
      "S11", fmt::format("| {} %; TTFT {:.1f} to {:.1f} s, {:.0f} to {:.0f} ms |", attained, by_split.front().ttft_s,
                         by_split.back().ttft_s, 1e3 * by_split.front().tpot_s, 1e3 * by_split.back().tpot_s));
  const auto less = [](const Outcome& a, const Outcome& b) { return a.attained_fraction < b.attained_fraction; };
  const auto peak = std::ranges::max_element(by_split, less);
  const auto peak_nodes = static_cast<double>(first + (peak - by_split.begin()));
  EXPECT_GE(peak_nodes / 16, 0.40);
  EXPECT_LE(peak_nodes / 16, 0.65);
  EXPECT_TRUE(std::is_sorted(by_split.begin(), peak + 1, less));
  EXPECT_LT(by_split.front().attained_fraction, peak->attained_fraction - 0.1);
  EXPECT_GT(by_split.front().ttft_s, 3 * by_split.back().ttft_s);
  EXPECT_LT(by_split[2].tpot_s, by_split.back().tpot_s);
}

}  // namespace servecast::s11_test
