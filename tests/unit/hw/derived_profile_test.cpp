#include "models/hw/profile/derived_profile.h"

#include <gtest/gtest.h>

namespace servecast::derived_profile_test {

Gpu gpu(double fp8_flop_per_s, double memory, double nvlink, double pcie) {
  Gpu g;
  g.peaks = {.bf16_flop_per_s = 100e12, .fp8_flop_per_s = fp8_flop_per_s, .int8_flop_per_s = 200e12};
  g.hbm_bytes_per_s = memory;
  g.nvlink_bytes_per_s = nvlink;
  g.pcie_h2d_bytes_per_s = pcie;
  g.pcie_d2h_bytes_per_s = pcie;
  return g;
}

FittedOperator fitted(std::string op, std::string dtype) {
  return {.op = std::move(op),
          .dtype = std::move(dtype),
          .law = {.launch_s = 3e-6, .flop_per_s = 1e12, .bytes_per_s = 1e9},
          .evidence = {.spread_fraction = {0.05}}};
}

// Half the bf16 peak, a quarter of the memory, and PCIe (a tenth of NVLink) between its GPUs.
TEST(DerivedProfile, ScalesEveryRateToTheDataSheet) {
  const Gpu measured = gpu(200e12, 4e12, 400e9, 50e9);
  Gpu target = gpu(0, 1e12, 0, 40e9);
  target.peaks.bf16_flop_per_s = 50e12;
  const KernelProfile exact{
      .elementwise_bytes_per_s = 2e12,
      .operators = {fitted("gemm", "bf16"), fitted("gemm", "fp8"), fitted("gemm", "w8a8"),
                    fitted("decode_attention", ""), fitted("all_reduce", ""), fitted("h2d", "")}};
  const KernelProfile scaled = scale_profile(exact, measured, target);
  ASSERT_EQ(scaled.operators.size(), 5u);  // no unit for fp8
  EXPECT_DOUBLE_EQ(scaled.operators[0].law.flop_per_s, 0.5e12);
  EXPECT_DOUBLE_EQ(scaled.operators[0].law.bytes_per_s, 0.25e9);
  EXPECT_DOUBLE_EQ(scaled.operators[0].law.launch_s, 3e-6);
  EXPECT_DOUBLE_EQ(scaled.operators[1].law.flop_per_s, 1e12);  // w8a8: the int8 peaks are the same
  EXPECT_DOUBLE_EQ(scaled.operators[2].law.flop_per_s, 0.5e12);
  EXPECT_DOUBLE_EQ(scaled.operators[3].law.bytes_per_s, 0.1e9);
  EXPECT_DOUBLE_EQ(scaled.operators[4].law.bytes_per_s, 0.8e9);
  EXPECT_DOUBLE_EQ(scaled.elementwise_bytes_per_s, 0.5e12);
  EXPECT_DOUBLE_EQ(scaled.operators[0].evidence.spread_fraction[0], 0.13);  // 5 and 12 %: a right triangle
}

// Those across nodes stay: they go over NICs on both.
TEST(DerivedProfile, TakesTheCollectivesOfAnother) {
  KernelProfile own{.operators = {fitted("gemm", "bf16"), fitted("all_reduce", ""), fitted("all_reduce", "")}};
  own.operators[1].mode = "across_nodes";
  const KernelProfile other{.operators = {fitted("gemm", "fp8"), fitted("all_gather", "bf16")}};
  const std::vector<FittedOperator> made = with_collectives(own, other).operators;
  ASSERT_EQ(made.size(), 3u);
  EXPECT_EQ(made[0].dtype, "bf16");
  EXPECT_EQ(made[1].mode, "across_nodes");
  EXPECT_EQ(made[2].op, "all_gather");
}

}  // namespace servecast::derived_profile_test
