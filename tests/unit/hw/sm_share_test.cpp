// Two processes on one GPU: numbers by hand.
#include "models/hw/additions/sm_share.h"

#include <gtest/gtest.h>

namespace servecast::sm_share_test {

constexpr StageTime prompt{.seconds = 0.1, .compute_s = 0.1};
constexpr StageTime decode{.seconds = 0.025, .compute_s = 0};

// 0.6284 / 0.5 + 0.3818 = 1.6386, by 0.6284 + 0.3818 = 1.0102 makes 1.6221; with 30 %: 2.4765 / 1.0102 = 2.4515.
TEST(SmShare, MemoryBoundWorkFollowsThePapersFit) {
  EXPECT_DOUBLE_EQ(memory_stretch(1), 1);
  EXPECT_NEAR(memory_stretch(0.5), 1.6221, 1e-4);
  EXPECT_NEAR(memory_stretch(0.3), 2.4515, 1e-4);
}

// 60 ms of arithmetic become 120, 40 ms of memory traffic 64.88.
TEST(SmShare, ArithmeticGoesWithTheShare) {
  const StageTime half = at_share({.seconds = 0.1, .compute_s = 0.06, .extrapolated = true}, 0.5);
  EXPECT_NEAR(half.seconds, 0.18488, 1e-5);
  EXPECT_DOUBLE_EQ(half.compute_s, 0.12);
  EXPECT_TRUE(half.extrapolated);
  EXPECT_DOUBLE_EQ(at_share(prompt, 1).seconds, 0.1);
}

TEST(SmShare, SharesUpToAllOfThemAreKept) {
  EXPECT_DOUBLE_EQ(share_beside({prompt, 0.6}, {decode, 0.4}), 0.6);
  EXPECT_DOUBLE_EQ(share_beside({prompt, 0.3}, {decode, 0.4}), 0.3);
}

// (80, 100): 20 % are the decode's alone; in the other 80 % the prompt runs 0.1 of 0.125 s, so it has 64 %, and the
// decode 20 + 16 = 36 %. With (100, 100), 80 and 20 %.
TEST(SmShare, KernelsTakeTurnsWhereSharesOverlap) {
  EXPECT_DOUBLE_EQ(share_beside({prompt, 0.8}, {decode, 1}), 0.64);
  EXPECT_DOUBLE_EQ(share_beside({decode, 1}, {prompt, 0.8}), 0.36);
  EXPECT_DOUBLE_EQ(share_beside({prompt, 1}, {decode, 1}), 0.8);
  EXPECT_DOUBLE_EQ(share_beside({decode, 1}, {prompt, 1}), 0.2);
}

// With (100, 100) a prompt that only computes takes as long as both one after the other.
TEST(SmShare, TwoWithAllSmsTakeAsLongAsOneAfterTheOther) {
  EXPECT_DOUBLE_EQ(beside({prompt, 1}, {decode, 1}).seconds, 0.125);
}

// Two decodes with all SMs each: half of these each, so 0.025 * 1.6221 = 40.55 ms, in which each would move 61.65 %
// of what the memory can: 23.30 % too much, so each takes 50 ms, as one after the other.
TEST(SmShare, TogetherTheyMoveNoMoreThanTheMemoryCan) {
  EXPECT_NEAR(beside({decode, 1}, {decode, 1}).seconds, 0.05, 1e-12);
}

// 20 of 100 ms are the host's, whatever the share: 80 ms of arithmetic take 160.
TEST(SmShare, TheHostTakesItsTime) {
  EXPECT_DOUBLE_EQ(at_share({.seconds = 0.1, .compute_s = 0.08, .host_s = 0.02}, 0.5).seconds, 0.18);
}

// The other has half of the SMs while its kernels run, as do 50 ms of arithmetic then: 100 ms. But of its own 150 ms
// it waits 50 for its host, and meanwhile these 50 ms take 50: 1 / ((1/3) / 0.05 + (2/3) / 0.1) = 75 ms.
TEST(SmShare, WhileOneWaitsForItsHostTheOtherHasTheGpu) {
  const StageTime computes{.seconds = 0.05, .compute_s = 0.05};
  const StageTime waits{.seconds = 0.1, .compute_s = 0.05, .host_s = 0.05};
  EXPECT_DOUBLE_EQ(beside({computes, 1}, {waits, 1}).seconds, 0.075);
}

}  // namespace servecast::sm_share_test
