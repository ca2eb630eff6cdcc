// Which tables of kernels are believed, and whose kernels an engine may run.
#include <gtest/gtest.h>

#include <algorithm>

#include "calibrate/fit/cells.h"
#include "models/hw/profile/operators.h"
#include "sim/input/library/hardware.h"

namespace servecast::tables_test {

Sample sample(const std::string& engine, const std::string& version, const std::string& op,
              const KernelShape& shape) {
  return {.gpu = "",
          .driver = "",
          .engine = engine,
          .version = version,
          .kernel = "",
          .op = op,
          .dtype = "bf16",
          .kv_dtype = "",
          .mode = "",
          .shape = shape};
}

// FlashInfer ships TensorRT-LLM's kernels. Beside its one own kernel the faster counts; for an engine without rows
// they stand in; an engine that timed kernels of its own keeps them.
TEST(Cells, ShippedExpertsStandBesideAnEnginesOwn) {
  const Gpu gpu = load_gpu("b200_sxm_180g", {});
  const ExpertLayer layer{.hidden = 7168, .width = 2048, .experts = 256, .top_k = 8};
  const auto cell_s = [&](const std::string& engine, const std::string& own_kernel) {
    CellCollector collector(gpu, engine, {}, {{layer, true}});
    const auto add = [&](const std::string& timed_by, const std::string& kernel, double seconds) {
      Sample s = sample(timed_by, "1", "moe", {.m = 64, .n = 2048, .k = 7168, .experts = 256, .top_k = 8});
      s.mode = "balanced";
      s.kernel = kernel;
      s.shape.tensor_parallel = 1;
      s.shape.expert_parallel = 8;
      s.median_s = seconds;
      collector.add(s);
    };
    add("other", "other_flashinfer_trtllm_moe", 1e-3);
    if (!own_kernel.empty()) add(engine, own_kernel, 2e-3);
    return collector.finish().begin()->second.cells.at(0).seconds;
  };
  EXPECT_EQ(cell_s("trtllm", "deepgemm"), 1e-3);
  EXPECT_EQ(cell_s("vllm", ""), 1e-3);
  EXPECT_EQ(cell_s("vllm", "triton"), 2e-3);
}

double product_s(const KernelShape& s) {
  const double flop = 2 * static_cast<double>(s.m) * static_cast<double>(s.n) * static_cast<double>(s.k);
  return 4e-6 + flop / 7e14;
}

// Version 2 says 170 us for all products, whatever their size: the host. What it says of larger ones stays.
TEST(Cells, ProductsThatTimeTheHostAreLeftOut) {
  const Gpu gpu = load_gpu("h100_sxm_80g", {});
  CellCollector collector(gpu, "vllm");
  for (std::int64_t m = 1; m <= 8192; m *= 2)
    for (const std::int64_t n : {1024, 4096, 16384}) {
      Sample s = sample("vllm", "1", "gemm", {.m = m, .n = n, .k = 4096});
      s.median_s = product_s(s.shape);
      collector.add(s);
      s.version = "2";
      s.kernel = "eager";
      s.median_s = std::max(170e-6, s.median_s);
      collector.add(s);
    }
  const FlavourCells cells = collector.finish().begin()->second;
  EXPECT_FALSE(cells.host_bound);
  for (const Cell& cell : cells.cells) EXPECT_NEAR(cell.seconds, product_s(cell.shape), 1e-12);
}

// 256 sequences of 8,192 tokens in 8 heads of 128 are 8.6 GB, at 3.35 TB/s 2.6 ms.
TEST(Cells, AKernelThatFellBackIsLeftOut) {
  const Gpu gpu = load_gpu("h100_sxm_80g", {});
  const auto source = [&](double slower) {
    CellCollector collector(gpu, "trtllm");
    for (const std::string version : {"1", "2"}) {
      const KernelShape shape{
          .sequences = 256, .tokens = 1, .context = 8192, .q_heads = 32, .kv_heads = 8, .head_dim = 128};
      Sample s = sample("trtllm", version, "decode_attention", shape);
      s.kv_dtype = "bf16";
      s.median_s = version == "1" ? slower * 3e-3 : 3e-3;
      collector.add(s);
    }
    return collector.finish().begin()->second.source;
  };
  EXPECT_EQ(source(1.9), "trtllm 1, 2");
  EXPECT_EQ(source(2.1), "trtllm 2");
}

// Marlin's experts go by another name in each version: 1,024 tokens of 8 experts of 128, 9.7e10 flop, take 97 us at
// 989 TFLOP/s at least.
TEST(Cells, MarlinsSlowTableIsLeftOutAndItsSkewKept) {
  const Gpu gpu = load_gpu("h100_sxm_80g", {});
  CellCollector collector(gpu, "vllm");
  for (const std::string mode : {"balanced", "power_law_1.01"})
    for (const std::string version : {"1", "2"}) {
      const KernelShape shape{.m = 1024, .n = 1024, .k = 2048, .experts = 128, .top_k = 8, .tensor_parallel = 1};
      Sample s = sample("vllm", version, "moe", shape);
      s.kernel = version == "1" ? "marlin_moe" : "marlin_int4_moe";
      s.dtype = "int4";
      s.mode = mode;
      s.median_s = version == "1" ? 0.4e-3 : 0.9e-3;
      collector.add(s);
    }
  const auto cells = collector.finish();
  ASSERT_EQ(cells.size(), 2u) << "even and skewed";
  for (const auto& [flavour, one] : cells) EXPECT_EQ(one.source, "vllm 1") << flavour.mode;
}

TEST(Cells, ProductsInNvfp4OfOtherEnginesStandInForTensorRtLlms) {
  const Gpu gpu = load_gpu("b200_sxm_180g", {});
  CellCollector collector(gpu, "trtllm");
  for (const std::string engine : {"trtllm", "vllm", "sglang"}) {
    Sample s = sample(engine, "1", "gemm", {.m = 16, .n = 4096, .k = 4096});
    s.dtype = "nvfp4";
    s.median_s = engine == "trtllm" ? 14e-6 : engine == "vllm" ? 9e-6 : 7e-6;
    collector.add(s);
  }
  const FlavourCells cells = collector.finish().begin()->second;
  EXPECT_EQ(cells.source, "sglang 1, vllm 1");
  EXPECT_NEAR(cells.cells.at(0).seconds, 8e-6, 1e-12);
}

}  // namespace servecast::tables_test
