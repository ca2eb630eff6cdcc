#include "models/hw/machine/gpu.h"

#include <gtest/gtest.h>

#include "tests/unit/hw/made_up.h"

namespace servecast::gpu_test {

TEST(ScaleKernels, TakesTheSameShareOfThePeaks) {
  Gpu target = made_up_gpu();
  target.peaks.bf16_flop_per_s *= 2;
  target.hbm_bytes_per_s *= 3;
  target.nvlink_bytes_per_s = 0;  // then PCIe: 20e9 instead of 100e9, a fifth
  const Kernels k = scale_kernels(made_up_gpu(), target);
  EXPECT_DOUBLE_EQ(k.gemm.bf16->flop_per_s, 2e12);
  EXPECT_DOUBLE_EQ(k.gemm.bf16->bytes_per_s, 3e12);
  EXPECT_DOUBLE_EQ(k.gemm.bf16->launch_s, 1e-6);
  EXPECT_DOUBLE_EQ(k.decode_attention.bytes_per_s, 3e12);
  EXPECT_DOUBLE_EQ(k.prefill_attention.flop_per_s, 2e13);
  EXPECT_DOUBLE_EQ(k.elementwise_bytes_per_s, 3e12);
  // 1e-6 at the smallest stays, the 99e-6 above it become five times as long
  EXPECT_DOUBLE_EQ(k.all_reduce.points[0].ranks_2_s, 1e-6);
  EXPECT_DOUBLE_EQ(k.all_reduce.points[1].ranks_2_s, 1e-6 + 5 * 99e-6);
}

TEST(ScaleKernels, LeavesOutWhatTheTargetCannotCompute) {
  Gpu measured = made_up_gpu();
  measured.peaks.fp8_flop_per_s = 4e13;
  measured.kernels->gemm.fp8 = measured.kernels->gemm.bf16;
  EXPECT_TRUE(scale_kernels(measured, measured).gemm.fp8);
  EXPECT_FALSE(scale_kernels(measured, made_up_gpu()).gemm.fp8);
}

TEST(CannotCompute, NamesTheTypesThatWork) {
  EXPECT_EQ(cannot_compute(made_up_gpu(), DataType::fp16), std::nullopt);
  EXPECT_EQ(cannot_compute(made_up_gpu(), DataType::fp8),
            "Made Up 1 has no kernels for fp8 weights; valid: bf16, fp16");
}

TEST(PeakRate, WeightOnlyTypesComputeInBf16) {
  Gpu gpu = made_up_gpu();
  gpu.peaks = {.bf16_flop_per_s = 1, .fp8_flop_per_s = 2, .int8_flop_per_s = 3, .int4_flop_per_s = 4};
  EXPECT_EQ(peak_flop_per_s(gpu, DataType::int4), 1);
  EXPECT_EQ(peak_flop_per_s(gpu, DataType::int8), 1);
  EXPECT_EQ(peak_flop_per_s(gpu, DataType::fp8), 2);
  EXPECT_EQ(peak_flop_per_s(gpu, DataType::w8a8), 3);
}

}  // namespace servecast::gpu_test
