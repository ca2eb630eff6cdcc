#include "calibrate/measure/clock_check.h"

#include <gmock/gmock.h>

namespace servecast::clock_check_test {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

const MeasureTarget product{.op = "gemm", .dtype = "bf16", .shape = {.m = 4096}};
const MeasureTarget copy{.op = "h2d", .mode = "pinned", .shape = {.bytes = 1 << 20}};

TEST(ClockCheck, ComparesAFewLongCallsOfEachOperator) {
  ClockCheck check;
  EXPECT_FALSE(check.wants(product, 0.9e-3));
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(check.wants(product, 1e-3));
    check.add(product, {.record_s = {1}, .event_s = {1}});
  }
  EXPECT_FALSE(check.wants(product, 1e-3));
  EXPECT_TRUE(check.wants(copy, 1e-3));
}
TEST(ClockCheck, TellsTheFarthestOff) {
  ClockCheck check;
  EXPECT_EQ(check.text(), "");
  check.add(product, {.record_s = {0.99, 1.01, 0.5}, .event_s = {1, 1, 1}});  // median 0.99
  check.add(copy, {.record_s = {2.01}, .event_s = {2}});                      // 1.005
  check.add(copy, {});
  EXPECT_EQ(check.targets(), 2);
  EXPECT_DOUBLE_EQ(check.worst_ratio(), 0.99);
  EXPECT_THAT(check.text(), AllOf(HasSubstr("2 targets"), HasSubstr("0.9900, gemm bf16 of servecast with m 4096"),
                                  Not(HasSubstr("warning"))));
}
TEST(ClockCheck, WarnsBeyondTwoPercent) {
  ClockCheck check;
  check.add(copy, {.record_s = {1.03}, .event_s = {1}});
  check.add(product, {.record_s = {1}, .event_s = {1}});
  EXPECT_THAT(check.text(),
              AllOf(HasSubstr("warning"), HasSubstr("1.0300, h2d pinned of servecast with bytes 1048576")));
}

}  // namespace servecast::clock_check_test
