#include <gtest/gtest.h>

#include <cmath>

#include "models/hw/profile/kernel_times.h"

namespace servecast::kernel_profile_test {

// launch 1 us, c = 2e6 / 1e12 = 2 us, b = 1e6 / 1e12 = 1 us, p = 1: 1 + 3 us, of which 2/3 of the 3 is arithmetic.
TEST(KernelLaw, ByHand) {
  const KernelLaw law{.launch_s = 1e-6, .flop_per_s = 1e12, .bytes_per_s = 1e12, .sharpness = 1};
  const LawTime t = law({.flop = 2e6, .bytes = 1e6});
  EXPECT_NEAR(t.seconds, 4e-6, 1e-18);
  EXPECT_NEAR(t.compute_s, 2e-6, 1e-18);
}

// Rows of 100 with a ramp length of 50: everything but the launch takes 1.5 times as long.
TEST(KernelLaw, ShortRowsReachLess) {
  const KernelLaw law{.launch_s = 1e-6, .flop_per_s = 1e12, .sharpness = 2, .ramp_length = 50};
  EXPECT_NEAR(law({.flop = 2e6, .ramp = 0.01}).seconds, 1e-6 + 3e-6, 1e-18);
  EXPECT_EQ(law({}).seconds, 1e-6);
}

GridText two_by_two(const std::vector<double>& values) {
  return {.axes = {{.name = "a", .points = {1, 4}}, {.name = "b", .points = {10, 1000}}},
          .lines = {grid_letters(values[0]) + grid_letters(values[1]),
                    grid_letters(values[2]) + grid_letters(values[3])}};
}

TEST(ResidualGrid, IsLinearInLogsBetweenItsPoints) {
  const ResidualGrid grid(two_by_two({0, 0.2, 0.4, 0.6}));
  const auto at = [&](double a, double b) { return grid.at(std::vector{a, b}).log_ratio; };
  EXPECT_NEAR(at(1, 10), 0, 1e-12);
  EXPECT_NEAR(at(4, 1000), 0.6, 1e-12);
  EXPECT_NEAR(at(2, 100), 0.3, 1e-12);  // half way on both axes
  EXPECT_EQ(grid.at(std::vector{2.0, 100.0}).outside, 0);
}

TEST(ResidualGrid, IsOutsideWhatItIsAtTheNearestPoint) {
  const ResidualGrid grid(two_by_two({0, 0.2, 0.4, 0.6}));
  const ResidualGrid::Value beyond = grid.at(std::vector{8.0, 100.0});
  EXPECT_NEAR(beyond.log_ratio, 0.5, 1e-12);  // of a = 4, half way between 10 and 1,000
  EXPECT_NEAR(beyond.outside, std::log(2), 1e-12);
  EXPECT_NEAR(grid.at(std::vector{1.0, 5.0}).log_ratio, 0, 1e-12);
}

TEST(ResidualGrid, LettersKeepThousandths) {
  for (const double value : {-4.14, -1.234, -0.001, 0.0, 0.001, 0.5, 4.14}) {
    const GridText text{.axes = {{.name = "a", .points = {1}}}, .lines = {grid_letters(value)}};
    ASSERT_FALSE(grid_problem(text)) << value;
    EXPECT_NEAR(ResidualGrid(text).at(std::vector{1.0}).log_ratio, value, 1e-9);
  }
  EXPECT_EQ(grid_letters(100), grid_letters(4.14));
}

TEST(ResidualGrid, SaysWhatIsWrong) {
  GridText text = two_by_two({0, 0, 0, 0});
  text.lines.pop_back();
  EXPECT_EQ(grid_problem(text), "has 1 lines; its axes ask for 2");
  text = two_by_two({0, 0, 0, 0});
  text.lines[1] = "##\"#";
  EXPECT_EQ(grid_problem(text), "line 2 must hold 2 values of two letters each");
  text.axes[0].points = {4, 1};
  EXPECT_EQ(grid_problem(text), "the points of axis 'a' do not rise");
}

FittedOperator fitted(const std::string& op, const KernelLaw& law) { return {.op = op, .law = law}; }

/// A product of 1e12 flop/s that takes e^`log_ratio` as long with 32,768 rows.
KernelTimes slower_when_long(double log_ratio) {
  FittedOperator gemm = fitted("gemm", {.flop_per_s = 1e12, .sharpness = 8});
  gemm.dtype = "bf16";
  gemm.residual = {.axes = {{.name = "n", .points = {64}},
                            {.name = "k", .points = {64}},
                            {.name = "unaligned", .points = {1}},
                            {.name = "m", .points = {512, 4096, 32768}}},
                   .lines = {grid_letters(0) + grid_letters(0) + grid_letters(log_ratio)}};
  return KernelTimes({.operators = {gemm}});
}

// 2 x 64 x 64 = 8,192 flop a row.
TEST(KernelTimes, ProductsTakeAsLongPerRowAsTheLongestDo) {
  const auto per_row_ns = [](const KernelTimes& times, std::int64_t m) {
    return times.gemm({.dtype = "bf16", .m = m, .n = 64, .k = 64})->seconds / static_cast<double>(m) * 1e9;
  };
  const KernelTimes throttled = slower_when_long(0.05);
  EXPECT_NEAR(per_row_ns(throttled, 512), 8.192, 1e-9);  // memory bounds such, so that no clock is missed
  EXPECT_NEAR(per_row_ns(throttled, 2048), 8.192 * std::exp(0.05), 1e-9);
  EXPECT_NEAR(per_row_ns(throttled, 4096), 8.192 * std::exp(0.05), 1e-9);
  EXPECT_NEAR(per_row_ns(throttled, 32768), 8.192 * std::exp(0.05), 1e-9);
  EXPECT_NEAR(per_row_ns(slower_when_long(0.5), 4096), 8.192 * 1.1, 1e-9);  // another kernel
  EXPECT_NEAR(per_row_ns(slower_when_long(-0.05), 4096), 8.192, 1e-9);
}

// 2 x 8 x 10 x 20 = 3,200 flop; (200 + 80 + 160) x 2 = 880 bytes.
TEST(OperatorKinds, ProductByHand) {
  const KernelWork work = operator_kind("gemm")->work({.m = 8, .n = 10, .k = 20}, number_sizes("bf16", ""));
  EXPECT_EQ(work.flop, 3200);
  EXPECT_EQ(work.bytes, 880);
  EXPECT_EQ(operator_kind("gemm")->work({.m = 8, .n = 10, .k = 20}, number_sizes("fp8", "")).bytes, 200 + 160 + 160);
}

// 3 sequences of 100 tokens, 2 KV heads of 128, bf16: 2 x 3 x 100 x 2 x 128 x 2 bytes.
TEST(OperatorKinds, DecodingReadsEveryKeyAndValueOnce) {
  const KernelShape shape{.sequences = 3, .tokens = 1, .context = 100, .q_heads = 8, .kv_heads = 2, .head_dim = 128};
  EXPECT_EQ(operator_kind("decode_attention")->work(shape, number_sizes("", "bf16")).bytes, 307'200);
  EXPECT_EQ(operator_kind("decode_attention")->work(shape, number_sizes("", "fp8")).bytes, 153'600);
}

// 32 KV heads: the grid of work is that of 8 heads and four times the sequences.
TEST(OperatorKinds, ManyKvHeadsAreMoreSequences) {
  const auto sizes =
      operator_kind("decode_attention")->sizes({.sequences = 2, .context = 9, .q_heads = 32, .kv_heads = 32});
  EXPECT_EQ(sizes, (std::array<double, 4>{8, 8, 1, 9}));
}

TEST(KernelTimes, TakesTheExactFlavourOrSaysThatItDidNot) {
  KernelProfile profile{
      .name = "p", .operators = {fitted("all_reduce", {.launch_s = 1e-6}), fitted("all_reduce", {.launch_s = 2e-6})}};
  profile.operators[0].mode = "graph";
  profile.operators[1].mode = "eager";
  const KernelTimes times(profile);
  EXPECT_NEAR(times.collective({.mode = "eager", .bytes = 10, .ranks = 2})->seconds, 2e-6, 1e-18);
  EXPECT_FALSE(times.collective({.mode = "eager", .bytes = 10, .ranks = 2})->extrapolated);
  EXPECT_TRUE(times.collective({.mode = "nccl", .bytes = 10, .ranks = 2})->extrapolated);
  EXPECT_EQ(times.collective({.bytes = 10, .ranks = 1})->seconds, 0);
  EXPECT_FALSE(times.gemm({.m = 1, .n = 1, .k = 1}));
}

// 100 tokens after 950: 100 x (950 + 50) = 100,000 pairs, as many as a prompt of sqrt(200,000) = 447 tokens.
TEST(KernelTimes, AChunkCountsAsThePromptWithAsManyPairs) {
  const KernelTimes times({.name = "p", .operators = {fitted("prefill_attention", {.flop_per_s = 1e12})}});
  const AttentionHeads heads{.q_heads = 1, .kv_heads = 1, .head_dim = 1};
  EXPECT_NEAR(times.prefill(heads, 100, 950)->seconds, 4 * 447.0 * 447.0 / 2 / 1e12, 1e-15);
  const AttentionHeads windowed{.q_heads = 1, .kv_heads = 1, .head_dim = 1, .window = 50};
  EXPECT_NEAR(times.prefill(windowed, 100, 950)->seconds, 4 * 100.0 * 100.0 / 2 / 1e12, 1e-15);
}

// Hidden size 2,880 becomes 3,072 and a half of width 2,880 becomes 1,536: 100 tokens of 4 experts, three matrices.
TEST(KernelTimes, MarlinsExpertsFillWholeTilesAndAreSkewed) {
  KernelProfile profile{.name = "p",
                        .operators = {fitted("moe", {.flop_per_s = 1e12}), fitted("moe", {.flop_per_s = 2e12})}};
  profile.operators[0].mode = "balanced";
  profile.operators[1].mode = trained_routing;
  for (FittedOperator& one : profile.operators) one.dtype = "int4";
  const KernelTimes times(profile);
  MoeCall call{.dtype = "int4",
               .tokens = 100,
               .hidden = 2880,
               .width = 2880,
               .experts = 128,
               .top_k = 4,
               .tensor_parallel = 2};
  EXPECT_NEAR(times.moe(call)->seconds, 2 * 100 * 4 * 3 * 3072.0 * 1536.0 / 2e12, 1e-12);
  EXPECT_TRUE(times.moe(call)->skewed);
  call.experts = 8;
  EXPECT_NEAR(times.moe(call)->seconds, 2 * 100 * 4 * 3 * 3072.0 * 1536.0 / 1e12, 1e-12);
  EXPECT_FALSE(times.moe(call)->skewed);
}

TEST(KernelTimes, SpreadGrowsOutside) {
  FittedOperator one = fitted("elementwise", {.launch_s = 1e-6, .bytes_per_s = 1e12});
  one.evidence.spread_up_to_s = {2e-6};
  one.evidence.spread_fraction = {0.05, 0.02};
  one.residual = {.axes = {{.name = "bytes", .points = {1, 1e9}}}, .lines = {grid_letters(0) + grid_letters(0)}};
  const KernelTimes times({.name = "p", .operators = {one}});
  EXPECT_EQ(times.elementwise(1000, "")->spread, 0.05);
  EXPECT_EQ(times.elementwise(1e8, "")->spread, 0.02);
  EXPECT_NEAR(times.elementwise(std::exp(1) * 1e9, "")->spread, 0.02 + 0.15, 1e-6);
}

TEST(ProfileProblem, NamesTheOperator) {
  const KernelProfile profile{.name = "p", .operators = {fitted("gem", {})}};
  ASSERT_TRUE(profile_problem(profile));
  EXPECT_NE(profile_problem(profile)->message.find("did you mean 'gemm'?"), std::string::npos);
}

}  // namespace servecast::kernel_profile_test
