// The table of scores, and what a pool's weights take off it.
#include <gtest/gtest.h>

#include "sim/input/scenario/scenario.h"

namespace servecast::answer_quality_test {

/// Of the pool `small`, an 8B model for which .694 is stated.
double small_score(const std::vector<Override>& overrides) {
  const Scenario scenario =
      load_scenario(std::string(SERVECAST_SOURCE_DIR) + "/scenarios/customer_service.yaml", overrides);
  return scenario.quality.score(TargetId{0}, ClassId{0}).value();
}

TEST(AnswerQuality, NarrowerWeightsComeOffThePublishedScore) {
  EXPECT_DOUBLE_EQ(small_score({}), 0.694);
  EXPECT_DOUBLE_EQ(small_score({{"pools[0].weights", "fp8"}}), 0.694) << "effectively lossless";
  EXPECT_DOUBLE_EQ(small_score({{"pools[0].weights", "int4"}}), 0.694 - 0.025);
  EXPECT_DOUBLE_EQ(small_score({{"pools[0].weights", "int4"}, {"quality[0].score_of", "served"}}), 0.694);
}

}  // namespace servecast::answer_quality_test
