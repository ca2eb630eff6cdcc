#include "calibrate/measure/activity_records.h"

#include <gmock/gmock.h>

#include "calibrate/measure/gpu_bench.h"

namespace servecast::activity_records_test {

using testing::DoubleNear;
using testing::ElementsAre;

TEST(ActivityRecords, OneKernelACall) {
  EXPECT_THAT(seconds_of_calls({{100, 150}, {200, 260}}, 2),
              ElementsAre(DoubleNear(50e-9, 1e-15), DoubleNear(60e-9, 1e-15)));
}
TEST(ActivityRecords, KernelsOfACallAddUpWithoutTheGap) {
  EXPECT_THAT(seconds_of_calls({{0, 50}, {60, 80}, {100, 140}, {150, 160}}, 2),
              ElementsAre(DoubleNear(70e-9, 1e-15), DoubleNear(50e-9, 1e-15)));
}
TEST(ActivityRecords, CopiesAtTheSameTimeCountOnce) {
  EXPECT_THAT(seconds_of_calls({{30, 90}, {0, 60}, {10, 20}}, 1), ElementsAre(DoubleNear(90e-9, 1e-15)));
}
TEST(ActivityRecords, ASpanHoldsTheGaps) {
  EXPECT_THAT(seconds_of_calls({{0, 50}, {60, 80}, {100, 190}, {110, 160}}, 2, CallTime::span),
              ElementsAre(DoubleNear(80e-9, 1e-15), DoubleNear(90e-9, 1e-15)));
}
TEST(ActivityRecords, KernelsBesideACopyAreNoneOfItsTime) {
  EXPECT_THAT(
      seconds_of_calls({{0, 70}, {10, 60, true}, {70, 90}, {100, 140}, {105, 165, true}}, 2, CallTime::copies),
      ElementsAre(DoubleNear(50e-9, 1e-15), DoubleNear(60e-9, 1e-15)));
}
TEST(ActivityRecords, LostOnesAreNoticed) {
  EXPECT_THROW(seconds_of_calls({}, 2), DeviceError);
  EXPECT_THROW(seconds_of_calls({{0, 1}, {2, 3}, {4, 5}}, 2), DeviceError);
}

}  // namespace servecast::activity_records_test
