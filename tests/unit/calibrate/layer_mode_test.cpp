// Among which rows of a model's layer one counts.
#include <gtest/gtest.h>

#include "calibrate/fit/cells.h"
#include "models/hw/profile/kernel_times.h"

namespace servecast::layer_mode_test {

Sample row(const char* mode, std::int64_t experts, std::int64_t groups, std::int64_t tokens = 8) {
  Sample s{};
  s.op = "moe";
  s.dtype = "mxfp4";
  s.mode = mode;
  s.shape = {.m = tokens, .experts = experts, .top_k = 4, .tensor_parallel = 1, .expert_parallel = groups};
  return s;
}

TEST(LayerMode, ManyExpertsRouteAsTrainedOnOneGroupAndEvenlyOnSeveral) {
  EXPECT_EQ(layer_mode(row("power_law_1.01", 128, 1), true), "power_law_1.01");
  EXPECT_EQ(layer_mode(row("balanced", 128, 1), true), "");
  EXPECT_EQ(layer_mode(row("balanced", 128, 8), true), "balanced");
  EXPECT_EQ(layer_mode(row("balanced", 8, 1), false), "balanced");
  EXPECT_EQ(layer_mode(row("power_law_1.01", 8, 2), false), "");
}

// Of fewer than eight tokens the tables give one group all visits.
TEST(LayerMode, TheFullestGroupCountsWhereLoadsAreUneven) {
  EXPECT_EQ(layer_mode(row("power_law_1.01", 128, 8), false), trained_groups);
  EXPECT_EQ(layer_mode(row("power_law_1.01", 128, 8), true), "");
  EXPECT_EQ(layer_mode(row("power_law_1.01", 128, 8, 7), false), "");
}

TEST(LayerMode, RowsThatIgnoreGroupsAreNotFitted) {
  Sample s = row("balanced", 128, 8);
  EXPECT_TRUE(is_fitted(s));
  s.kernel = "vllm_mxfp4_moe";
  EXPECT_FALSE(is_fitted(s));
  s.shape.expert_parallel = 1;
  EXPECT_TRUE(is_fitted(s));
}

}  // namespace servecast::layer_mode_test
