// Mooncake's effective capacity: 498, 157 and 59 % above vLLM's with bounds of 100, 200 and 300 ms on the time
// between tokens. Asserted: the looser the bound the smaller the gain; 80 to 250 % at 200 ms, 30 to 100 % at 300 ms.
//
// Not reached: more than 300 % at 100 ms. Prompts take as long here as published; decode steps are some 5 ms shorter.
#include <fmt/format.h>

#include <map>

#include "tests/unit/in_child.h"
#include "tests/unit/papers/capacity.h"
#include "tests/unit/papers/papers.h"
#include "tests/unit/papers/worst_gaps.h"

namespace servecast::s8_test {

constexpr std::array bounds_s = {0.1, 0.2, 0.3};

/// Shares of requests with their first token within 30 s and a time between tokens within each of the bounds.
using Shares = std::array<double, bounds_s.size()>;

Shares shares_of(const Recorder& recorder, const WorstGaps& gaps) {
  Shares shares{};
  for (const RequestRecord& r : recorder.requests()) {
    if (*r.first_token_s - r.arrival_s > 30) continue;
    const double gap_s = gaps.of(r);
    for (std::size_t i = 0; i < bounds_s.size(); ++i)
      if (gap_s <= bounds_s[i]) shares[i] += 1;
  }
  for (double& share : shares) share /= static_cast<double>(recorder.count());
  return shares;
}

/// A system, and what it has been found to do at rates that are multiples of the trace's.
class Cluster {
 public:
  Cluster(std::vector<Override> settings, Network network) : settings_(std::move(settings)), network_(network) {}

  double capacity(std::size_t bound) {
    return highest_rate({.low = 0.5, .high = 2.5, .precision = 0.05},
                        [&](double rate) { return shares_at(rate)[bound] >= 0.9; });
  }

 private:
  const Shares& shares_at(double rate) {
    const auto found = seen_.find(rate);
    if (found != seen_.end()) return found->second;
    return seen_[rate] = in_child<bounds_s.size()>([&] {
             std::vector<Override> settings = settings_;
             settings.push_back({"workload.trace.rate_scale", std::to_string(rate)});
             WorstGaps gaps;
             const PaperRun run(paper("s8_mooncake_capacity", settings), network_, {.detail = &gaps});
             return shares_of(run.recorder, gaps);
           });
  }

  std::vector<Override> settings_;
  Network network_;
  std::map<double, Shares> seen_;
};

TEST(S8, GainsMostWhereTheBoundIsTight) {
  const std::string trace = trace_file("mooncake/conversation_trace.jsonl.gz");
  if (trace.empty()) GTEST_SKIP() << "no traces here";
  Cluster mooncake({{"workload.trace.path", trace}}, Network::simgrid);
  Cluster vllm({{"workload.trace.path", trace},
                {"cluster.nodes", "17"},
                {"pools[0].replicas", "16"},
                {"pools[1].replicas", "1"},
                {"pools[0].placement", "{policy: colocated}"},
                {"pools[0].router", "{policy: round_robin}"},
                {"pools[0].batcher", "{policy: vllm_v0, max_num_batched_tokens: 131072}"},
                {"pools[0].kv_cache", "{policy: paged}"}},
               Network::none);
  Shares gain{};
  std::string told;
  for (std::size_t i = 0; i < bounds_s.size(); ++i) {
    const double apart = mooncake.capacity(i);
    const double together = vllm.capacity(i);
    gain[i] = apart / together - 1;
    told += fmt::format("{}{:.2f} against {:.2f}", i > 0 ? ", " : "", apart, together);
  }
  expect_in_section("S8", fmt::format("| {:.0f}, {:.0f} and {:.0f} % ({} times the trace's rate) |", 100 * gain[0],
                                      100 * gain[1], 100 * gain[2], told));
  EXPECT_GT(gain[0], gain[1]);
  EXPECT_GT(gain[1], gain[2]);
  EXPECT_GE(gain[1], 0.8);
  EXPECT_LE(gain[1], 2.5);
  EXPECT_GE(gain[2], 0.3);
  EXPECT_LE(gain[2], 1.0);
}

/// One request alone on a prefill node: its first token, and then each further one.
std::pair<double, double> alone_s(std::int64_t prompt_tokens, const std::string& engine) {
  const PaperRun run(
      paper("s8_mooncake_capacity",
            {{"workload", fmt::format("{{generate: {{requests: 1, arrivals: {{poisson: {{requests_per_s: 1}}}}, "
                                      "prompt_tokens: {{fixed: {}}}, output_tokens: {{fixed: 50}}}}}}",
                                      prompt_tokens)},
             {"pools[0].engine", engine},
             {"pools[0].router", "{policy: round_robin}"},
             {"pools[0].placement", "{policy: colocated}"}}));
  return {run.summary.latencies.ttft_s->mean, run.summary.latencies.tpot_s->mean};
}

// Published: prompts of 8k to 128k tokens in 1, 2, 4.5, 10.5 and 27.5 s, decode steps of 27 to 31 ms.
TEST(S8, LonePromptsTakeAsLongAsPublished) {
  std::string told;
  for (const auto& [tokens, published_s] :
       {std::pair(8192, 1.0), {16384, 2.0}, {32768, 4.5}, {65536, 10.5}, {131000, 27.5}}) {
    const double seconds = alone_s(tokens, PoolSpec{}.engine).first;
    EXPECT_NEAR(seconds / published_s, 1, 0.1) << tokens;
    told += fmt::format("{}{:.2f}", told.empty() ? "" : ", ", seconds);
  }
  expect_in_section("S8", "8k to 128k tokens take " + told + " s here");
  expect_in_section("S8",
                    fmt::format("take {:.0f} to {:.0f} ms with host terms of vLLM 0.6",
                                1e3 * alone_s(8192, "vllm-0.6").second, 1e3 * alone_s(131000, "vllm-0.6").second));
}

}  // namespace servecast::s8_test
