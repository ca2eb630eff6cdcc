#include "models/base/quantile.h"

#include <gtest/gtest.h>

namespace servecast::quantile_test {

TEST(NearestRank, IsTheSmallestRankThatLeavesTheShareBelow) {
  EXPECT_EQ(nearest_rank(0.50, 4), 2);
  EXPECT_EQ(nearest_rank(0.50, 5), 3);    // 2.5 up
  EXPECT_EQ(nearest_rank(0.95, 20), 19);  // exactly 19
  EXPECT_EQ(nearest_rank(0.95, 21), 20);  // 19.95 up
  EXPECT_EQ(nearest_rank(0.90, 10), 9);
  EXPECT_EQ(nearest_rank(0.07, 100), 7);  // 0.07 * 100 is 7.000000000000001 in binary
  EXPECT_EQ(nearest_rank(0.01, 3), 1);
  EXPECT_EQ(nearest_rank(1, 3), 3);
}

TEST(Quantile, IsTheValueOfThatRankInAnyOrder) {
  EXPECT_EQ(quantile({4, 1, 3, 2}, 0.5), 2);
  EXPECT_EQ(quantile({4, 1, 3, 2}, 0.51), 3);
  EXPECT_EQ(quantile({4, 1, 3, 2}, 1), 4);
  EXPECT_EQ(quantile({7}, 0.01), 7);
}

TEST(Median, IsTheMiddleOrTheMeanOfTheMiddleTwo) {
  EXPECT_EQ(median({9, 1, 8, 2, 7, 3, 6, 4, 5}), 5);
  EXPECT_EQ(median({4, 1}), 2.5);
  EXPECT_EQ(median({8, 1, 4, 2}), 3);
}

}  // namespace servecast::quantile_test
