#include "calibrate/fit/group_choice.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "calibrate/fit/cells.h"
#include "sim/input/library/hardware.h"

namespace servecast::group_choice_test {

constexpr ExpertLayer layer{.hidden = 7168, .width = 2048, .experts = 256, .top_k = 8};

/// A millisecond for each expert that is touched, a microsecond for each visit.
double even_s(double experts, double visits) { return 1e-3 * std::min(experts, visits) + 1e-6 * visits; }

/// Of `half`: half of the experts get all visits, four that no other token has for each token, and the first of
/// several GPUs has twice its share.
Sample row(std::int64_t tokens, std::int64_t groups, bool half) {
  const double share = 8.0 * static_cast<double>(tokens) / static_cast<double>(groups);
  const double experts = 256.0 / static_cast<double>(groups);
  const double first = groups == 1 ? 1 : 2;
  Sample s{};
  s.gpu = "b200_sxm_180g";
  s.engine = "sglang";
  s.version = "1";
  s.kernel = "flashinfer";
  s.op = "moe";
  s.dtype = "nvfp4";
  s.mode = "balanced";
  s.shape = {
      .m = tokens, .n = 2048, .k = 7168, .experts = 256, .top_k = 8, .tensor_parallel = 1, .expert_parallel = groups};
  s.median_s = half ? 1e-3 * std::min(groups == 1 ? 128 : experts, share * first / 2) + 1e-6 * share * first
                    : even_s(experts, share);
  return s;
}

constexpr std::int64_t batches[]{1, 8, 16, 32, 48, 64, 128, 256, 512};

std::map<KernelShape, double> cells(bool half) {
  const Gpu gpu = load_gpu("b200_sxm_180g", {});
  CellCollector collector(gpu, "sglang", {}, {{layer, true}});
  for (const std::int64_t tokens : batches)
    for (const std::int64_t groups : {1, 2, 4}) collector.add(row(tokens, groups, half));
  std::map<KernelShape, double> seconds;
  for (const auto& [flavour, of] : collector.finish())
    if (flavour.op == "moe_layer")
      for (const Cell& cell : of.cells) seconds[cell.shape] = cell.seconds;
  return seconds;
}

// Rows of one GPU are no layer's. Several GPUs take what they do where visits are even, but for the visits that small
// batches have too many: 128 at most, of a microsecond each.
TEST(GroupChoice, RowsOfHalfTheExpertsAreMended) {
  const auto mended = cells(true);
  ASSERT_FALSE(mended.empty());
  for (const auto& [shape, seconds] : mended) {
    ASSERT_GT(shape.expert_parallel, 1);
    const auto groups = static_cast<double>(shape.expert_parallel);
    const double visits = 8.0 * static_cast<double>(shape.m) / groups;
    const double even = even_s(256 / groups, visits);
    EXPECT_NEAR(seconds, even, shape.m <= 64 ? 0.13e-3 : 1e-9) << shape.m << " tokens, " << groups << " groups";
  }
}

TEST(GroupChoice, EvenRowsStayAsTheyAre) {
  for (const auto& [shape, seconds] : cells(false))
    EXPECT_EQ(seconds, row(shape.m, shape.expert_parallel, false).median_s) << shape.m;
}

TEST(GroupChoice, FewExpertsTellNothing) {
  GroupChoice choice;
  for (const std::int64_t groups : {1, 2, 4})
    choice.add(0, "bf16", {.m = 64, .experts = 8, .top_k = 2, .tensor_parallel = 1, .expert_parallel = groups}, 1);
  EXPECT_FALSE(choice.of(0, "bf16", {.m = 64, .experts = 8, .top_k = 2}));
}

// CUTLASS's of TensorRT-LLM 1.3.0rc20 on Hopper, in fp8: 1.7 and 0.59 in the middle, of a model without groups.
TEST(GroupChoice, KernelsThatAreSlowInTwoGroupsTellNothing) {
  const auto told = [](double two_groups_s) {
    KernelShape shape{.m = 64, .experts = 512, .top_k = 10, .tensor_parallel = 1, .expert_parallel = 1};
    GroupChoice choice;
    for (const double seconds : {1.0, two_groups_s, 0.59 * two_groups_s}) {
      choice.add(0, "fp8", shape, seconds);
      shape.expert_parallel *= 2;
    }
    return choice.of(0, "fp8", shape);
  };
  EXPECT_TRUE(told(1.0));
  EXPECT_FALSE(told(1.7));
}

}  // namespace servecast::group_choice_test
