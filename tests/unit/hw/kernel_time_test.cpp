#include "models/hw/latency/kernel_time.h"

#include <gtest/gtest.h>

#include <cmath>

#include "models/hw/roofline/smooth_max.h"
#include "tests/unit/hw/made_up.h"

namespace servecast::kernel_time_test {

// m = 1, n = 200, k = 100: 40,000 flop = 4e-8 s; 40,000 + 200 + 400 bytes = 4.06e-8 s; launch 1e-6.
TEST(Gemm, IsLaunchPlusArithmeticPlusBytes) {
  const StageTime t = gemm_time(*made_up_gpu().kernels->gemm.bf16, DataType::bf16, {200, 100}, 1);
  EXPECT_NEAR(t.seconds, 1e-6 + 4e-8 + 4.06e-8, 1e-15);
  EXPECT_NEAR(t.compute_s, 4e-8, 1e-15);  // with sharpness 1 the body is shared as c : b
  EXPECT_FALSE(t.extrapolated);
}

TEST(Gemm, SharpnessTwoIsTheHypotenuse) {
  GemmFit fit = *made_up_gpu().kernels->gemm.bf16;
  fit.sharpness = 2;
  fit.launch_s = 0;
  // m = 3, n = 2, k = 1000: c = 12,000 flop; b = 4,000 + 6,000 + 12 = 10,012 bytes; both / 1e12
  const StageTime t = gemm_time(fit, DataType::bf16, {2, 1000}, 3);
  EXPECT_NEAR(t.seconds, std::hypot(12000, 10012) * 1e-12, 1e-20);
}

TEST(Gemm, SaysWhenOutOfRange) {
  const GemmFit fit = *made_up_gpu().kernels->gemm.bf16;
  EXPECT_FALSE(gemm_time(fit, DataType::bf16, {10, 10}, 1000).extrapolated);
  EXPECT_TRUE(gemm_time(fit, DataType::bf16, {10, 10}, 1001).extrapolated);
  EXPECT_TRUE(gemm_time(fit, DataType::bf16, {1'000'001, 10}, 1).extrapolated);
}

// Each token misses an expert with 1/2: after 2 tokens 4 (1 - 1/4) = 3 of them were touched.
TEST(ExpertLayer, TouchesEachExpertWithItsChance) {
  EXPECT_DOUBLE_EQ(touched_experts(*tiny_moe().experts, 1), 2);
  EXPECT_DOUBLE_EQ(touched_experts(*tiny_moe().experts, 2), 3);
}

// 2 tokens x 2 experts x 3 matrices x 100 x 30 x 2 = 72,000 flop; 3 experts x 9,000 weights x 2 = 54,000 bytes and
// 4 visits x (200 + 90) x 2 = 2,320 bytes; launch 1e-6.
TEST(ExpertLayer, ReadsTheTouchedExperts) {
  const StageTime t = experts_time(*made_up_gpu().kernels->moe.bf16, DataType::bf16, tiny_moe(), 1, 2);
  EXPECT_NEAR(t.seconds, 1e-6 + 7.2e-8 + 5.632e-8, 1e-15);
}

TEST(AllReduce, InterpolatesInLogarithms) {
  const AllReduceFit fit = made_up_gpu().kernels->all_reduce;
  EXPECT_EQ(all_reduce_time(fit, 1, 5000, true).seconds, 0);
  EXPECT_NEAR(all_reduce_time(fit, 2, 10, true).seconds, 1e-6, 1e-18);        // below the table: its first time
  EXPECT_NEAR(all_reduce_time(fit, 2, 10000, true).seconds, 10e-6, 1e-15);    // half way in the logarithm
  EXPECT_NEAR(all_reduce_time(fit, 3, 10000, true).seconds, 20e-6, 1e-15);    // 3 GPUs: as 4
  EXPECT_NEAR(all_reduce_time(fit, 8, 200000, true).seconds, 800e-6, 1e-15);  // above: proportional
  EXPECT_TRUE(all_reduce_time(fit, 8, 200000, true).extrapolated);
  EXPECT_TRUE(all_reduce_time(fit, 16, 1000, true).extrapolated);
  EXPECT_NEAR(all_reduce_time(fit, 2, 10000, false).seconds, 50e-6, 1e-15);  // eager floor
}

TEST(SmoothMax, FollowsItsFormulaAndRises) {
  for (const double p : {0.71, 1.0, 1.9, 5.4}) {
    const SmoothMax soft(p);
    double before = 0;
    for (double x = 1e-14; x < 1e9; x *= 1.007) {
      const double exact = x > 1e3 ? x * std::pow(1 + std::pow(x, -p), 1 / p) : std::pow(1 + std::pow(x, p), 1 / p);
      EXPECT_NEAR(soft(x) / exact, 1, 1e-4) << x << " " << p;
      EXPECT_GE(soft(x), before) << x << " " << p;
      before = soft(x);
    }
    EXPECT_EQ(soft(0), 1);
  }
}

}  // namespace servecast::kernel_time_test
