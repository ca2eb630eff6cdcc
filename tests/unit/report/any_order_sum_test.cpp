#include "sim/report/statistics/any_order_sum.h"

#include <gtest/gtest.h>

namespace servecast::any_order_sum_test {

TEST(AnyOrderSum, IsTheSameInAnyOrder) {
  const double amounts[] = {1e6, 0.1, 1e-9, 3.3, 0.7, 123.456};
  AnyOrderSum forwards, backwards, halves, other_half;
  for (int i = 0; i < 6; ++i) {
    forwards.add(amounts[i], i + 1);
    backwards.add(amounts[5 - i], 6 - i);
    (i % 2 == 0 ? halves : other_half).add(amounts[i], i + 1);
  }
  halves += other_half;
  EXPECT_EQ(forwards.value(), backwards.value());
  EXPECT_EQ(forwards.value(), halves.value());
  // 1e6 + 0.2 + 3e-9 + 13.2 + 3.5 + 740.736
  EXPECT_NEAR(forwards.value(), 1000757.636000003, 1e-9);
}

TEST(AnyOrderSum, CarriesRestsExactly) {
  AnyOrderSum sum;
  for (int i = 0; i < 1000; ++i) sum.add(0.75, 1000);
  EXPECT_EQ(sum.value(), 750'000);
  sum.add(0x1.fffffffffffffp-1);  // rounds up to a whole one
  EXPECT_EQ(sum.value(), 750'001);
}

TEST(AnyOrderSum, BoundsWhatItCannotHold) {
  AnyOrderSum sum;
  sum.add(1e30);
  EXPECT_EQ(sum.value(), 0x1p34);
}

}  // namespace servecast::any_order_sum_test
