// The real traces against the table in the data set's own README (shared/data/traces/README.md), to its digits.
#include <gmock/gmock.h>

#include <chrono>
#include <cmath>

#include "sim/input/trace/cache/trace_info.h"
#include "tests/unit/input/trace_testing.h"

namespace servecast::trace_real_test {

TraceInfo info_of(const std::string& file) {
  Opened opened = open_file(file);
  return describe(*opened.workload, *opened.notes);
}

/// Half a unit of the last printed digit (and a little, for ties).
MATCHER_P2(Printed, value, unit, "") { return std::abs(arg - value) <= 0.5001 * unit; }

void expect_lengths(const LengthInfo& l, double mean, double p50, double p90, double p99, double max) {
  EXPECT_THAT(l.mean, Printed(mean, 0.1));
  EXPECT_THAT(l.p50, Printed(p50, 1));
  EXPECT_THAT(l.p90, Printed(p90, 1));
  EXPECT_THAT(l.p99, Printed(p99, 1));
  EXPECT_EQ(l.max, max);
}

TEST(RealTrace, AzureCode) {
  const auto file = real_trace("azure2023/AzureLLMInferenceTrace_code.csv.gz");
  if (!file) GTEST_SKIP() << "no real traces here";
  const TraceInfo info = info_of(*file);
  EXPECT_EQ(info.requests, 8819);
  EXPECT_EQ(info.arrivals, 8819);
  EXPECT_TRUE(info.skipped_rows.empty());
  EXPECT_THAT(info.span_s, Printed(3435.9, 0.1));
  EXPECT_THAT(info.arrivals_per_s, Printed(2.57, 0.01));
  EXPECT_THAT(info.peak_1s_per_s, Printed(67, 1));
  EXPECT_THAT(info.peak_60s_per_s, Printed(10.5, 0.1));
  EXPECT_THAT(info.gap_cv, Printed(13.15, 0.01));
  EXPECT_THAT(info.dispersion_1s, Printed(13.2, 0.1));
  EXPECT_THAT(info.dispersion_60s, Printed(161, 1));
  expect_lengths(info.prompt_tokens, 2047.8, 1469, 5188, 7436, 7437);
  expect_lengths(info.output_tokens, 27.9, 13, 55, 251, 1899);
  EXPECT_FALSE(info.prefix_hit_fraction);
}

TEST(RealTrace, AzureConversation) {
  const auto file = real_trace("azure2023/AzureLLMInferenceTrace_conv.csv.gz");
  if (!file) GTEST_SKIP() << "no real traces here";
  const TraceInfo info = info_of(*file);
  EXPECT_EQ(info.requests, 19366);
  EXPECT_THAT(info.span_s, Printed(3501.7, 0.1));
  EXPECT_THAT(info.arrivals_per_s, Printed(5.53, 0.01));
  EXPECT_THAT(info.peak_1s_per_s, Printed(16, 1));
  EXPECT_THAT(info.peak_60s_per_s, Printed(8.5, 0.1));
  EXPECT_THAT(info.gap_cv, Printed(1.09, 0.01));
  EXPECT_THAT(info.dispersion_1s, Printed(1.4, 0.1));
  EXPECT_THAT(info.dispersion_60s, Printed(20.6, 0.1));
  expect_lengths(info.prompt_tokens, 1154.7, 1020, 2734, 4142, 14050);
  expect_lengths(info.output_tokens, 211.1, 129, 424, 601, 1000);
}

TEST(RealTrace, MooncakeConversation) {
  const auto file = real_trace("mooncake/conversation_trace.jsonl.gz");
  if (!file) GTEST_SKIP() << "no real traces here";
  const TraceInfo info = info_of(*file);
  EXPECT_EQ(info.requests, 12031);
  EXPECT_THAT(info.span_s, Printed(3537.0, 0.1));
  EXPECT_THAT(info.arrivals_per_s, Printed(3.40, 0.01));
  EXPECT_EQ(info.peak_1s_per_s, 28);
  EXPECT_THAT(info.gap_cv, Printed(3.03, 0.01));
  expect_lengths(info.prompt_tokens, 12035.1, 6909, 27367, 85400, 126195);
  expect_lengths(info.output_tokens, 342.6, 350, 597, 1119, 2000);
  ASSERT_TRUE(info.prefix_hit_fraction);
  EXPECT_THAT(*info.prefix_hit_fraction, Printed(0.3736, 0.0001));
}

TEST(RealTrace, MooncakeSynthetic) {
  const auto file = real_trace("mooncake/synthetic_trace.jsonl.gz");
  if (!file) GTEST_SKIP() << "no real traces here";
  const TraceInfo info = info_of(*file);
  EXPECT_EQ(info.requests, 3993);
  EXPECT_THAT(info.span_s, Printed(1022.0, 0.1));
  EXPECT_THAT(info.arrivals_per_s, Printed(3.91, 0.01));
  EXPECT_EQ(info.peak_1s_per_s, 13);
  EXPECT_THAT(info.gap_cv, Printed(1.01, 0.01));
  expect_lengths(info.prompt_tokens, 15325.5, 11587, 38611, 66456, 191378);
  expect_lengths(info.output_tokens, 149.1, 69, 389, 768, 893);
  EXPECT_THAT(*info.prefix_hit_fraction, Printed(0.6512, 0.0001));
}

TEST(RealTrace, MooncakeFirstThousand) {
  const auto file = real_trace("mooncake/mooncake_arxiv_trace_rows0-999.jsonl.gz");
  if (!file) GTEST_SKIP() << "no real traces here";
  const TraceInfo info = info_of(*file);
  EXPECT_EQ(info.requests, 1000);
  EXPECT_THAT(info.gap_cv, Printed(4.03, 0.01));
  expect_lengths(info.prompt_tokens, 9792.0, 6558, 19789, 77828, 121290);
  expect_lengths(info.output_tokens, 199.1, 34, 534, 831, 2000);
  EXPECT_THAT(*info.prefix_hit_fraction, Printed(0.3907, 0.0001));
}

TEST(RealTrace, RagPulse) {
  const auto file = real_trace("ragpulse/0_trace.jsonl.gz");
  if (!file) GTEST_SKIP() << "no real traces here";
  const TraceInfo info = info_of(*file);
  EXPECT_EQ(info.requests, 7106);
  EXPECT_EQ(info.arrivals, 7106);
  EXPECT_EQ(info.span_s, 604603);
  EXPECT_THAT(info.arrivals_per_s, Printed(0.0118, 0.0001));
  EXPECT_EQ(info.peak_1s_per_s, 3);
  EXPECT_THAT(info.gap_cv, Printed(3.06, 0.01));
  EXPECT_THAT(info.dispersion_60s, Printed(1.73, 0.01));
  expect_lengths(info.prompt_tokens, 2943.6, 3139.5, 3958.5, 5438, 7712);
  expect_lengths(info.output_tokens, 283.2, 234, 563, 891, 2183);
  EXPECT_EQ(info.sessions, 3990);
  EXPECT_THAT(info.mean_turns, Printed(1.78, 0.01));
  EXPECT_EQ(info.max_turns, 25);
}

TEST(RealTrace, ClaudeCode) {
  const auto file = real_trace("claude_code/claude_code_requests.derived.csv.gz");
  if (!file) GTEST_SKIP() << "no real traces here";
  const TraceInfo info = info_of(*file);
  EXPECT_EQ(info.requests, 49334 - 27);  // all rows but those without output
  ASSERT_EQ(info.skipped_rows.size(), 1u);
  EXPECT_EQ(info.skipped_rows.begin()->second, 27);
  EXPECT_EQ(info.arrivals, 710 + 63);  // main agents and sub-agents
  EXPECT_EQ(info.sessions, 710 + 63);
  EXPECT_EQ(info.prompt_tokens.max, 894371);
  EXPECT_EQ(info.output_tokens.max, 18195);
}

TEST(RealTrace, LlmServingSim) {
  const auto file = real_trace("llmservingsim/sharegpt-qwen3-30b-a3b-300-sps10.jsonl.gz");
  if (!file) GTEST_SKIP() << "no real traces here";
  const TraceInfo info = info_of(*file);
  EXPECT_EQ(info.requests, 300);
  EXPECT_THAT(info.gap_cv, Printed(0.94, 0.01));
  EXPECT_THAT(info.prompt_tokens.mean, Printed(862, 1));
  EXPECT_THAT(info.prompt_tokens.p50, Printed(728, 1));
  EXPECT_THAT(info.prompt_tokens.p99, Printed(2768, 1));
  EXPECT_THAT(info.output_tokens.mean, Printed(665, 1));
  EXPECT_THAT(info.output_tokens.p50, Printed(638, 1));
  EXPECT_THAT(info.output_tokens.p99, Printed(1001, 1));
}

}  // namespace servecast::trace_real_test
