// When an SLO that failures broke holds again.
#include "sim/report/summary/failure_summary.h"

#include <gtest/gtest.h>

#include "sim/report/record/recorder.h"

namespace servecast::failure_summary_test {

/// One request a second; those of [from, to) miss the SLO.
std::vector<SloSecond> missed(std::size_t from, std::size_t to, std::size_t length) {
  std::vector<SloSecond> seconds(length, {.arrived = 1, .attaining = 1});
  for (std::size_t i = from; i < to; ++i) seconds[i].attaining = 0;
  return seconds;
}

TEST(SloRecovery, IsAtOnceWhereNobodyMissesIt) {
  EXPECT_EQ(slo_recovery_s(20.5, missed(0, 0, 100), 1), 0);
  EXPECT_EQ(slo_recovery_s(20.5, missed(0, 20, 100), 1), 0);  // before the crash
}

// Of ten in a row nine must keep it: from 29 on, one that misses and nine that do not.
TEST(SloRecovery, BeginsWithTenGoodSeconds) {
  EXPECT_EQ(slo_recovery_s(20.5, missed(21, 30, 100), 0.9), 29 - 20.5);
  EXPECT_EQ(slo_recovery_s(20.5, missed(21, 30, 100), 1), 30 - 20.5);
}

TEST(SloRecovery, NeedsSomebodyToArrive) {
  EXPECT_EQ(slo_recovery_s(20.5, missed(21, 100, 100), 0.9), std::nullopt);
  EXPECT_EQ(slo_recovery_s(20.5, std::vector<SloSecond>(100), 0.9), std::nullopt);
  EXPECT_EQ(slo_recovery_s(200, missed(0, 0, 100), 0.9), std::nullopt);
}

}  // namespace servecast::failure_summary_test
