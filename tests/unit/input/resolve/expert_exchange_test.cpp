// DeepEP's published times (README, H800 with 400 Gb/s ports) against the model's, from kernels measured on H100.
#include "models/hw/parallel/expert_exchange.h"

#include <gtest/gtest.h>

#include <cmath>

#include "models/hw/profile/derived_profile.h"
#include "sim/input/library/hardware.h"
#include "sim/input/library/kernel_profile_file.h"
#include "sim/input/library/llm_config.h"

namespace servecast::expert_exchange_test {

struct Published {
  std::int64_t gpus = 0;
  double us = 0;  // dispatch and combine
};

double forecast_us(std::int64_t gpus, std::int64_t tokens, ExchangeKernels which) {
  const Gpu h100 = load_gpu("h100_sxm_80g", {});
  const Gpu h800 = load_gpu("h800_sxm_80g", {});
  const KernelTimes kernels(scale_profile(load_profile("h100_sxm_80g.vllm", {}), h100, h800));
  const Llm llm = load_llm("deepseek-v3", {});
  const ExpertExchange exchange(llm, kernels, {.expert_parallel = gpus}, {.node_gpus = 8, .bytes_per_s = 0.94 * 50e9},
                                {.kernels = which});
  const double us = 1e6 * exchange(tokens).seconds;
  testing::Test::RecordProperty("ep_" + std::to_string(gpus), std::to_string(us));
  return us;
}

// Published as bandwidths of what a GPU sends to nodes, its own included: 4,096 tokens of 7,168 bytes out and twice
// that back, to 4 (1 - (3/4)^8) = 3.6 of 4 nodes; 58 and 57 GB/s.
TEST(ExpertExchange, HighThroughputIsAsPublished) {
  const double sent = 4096.0 * 7168 * 4 * (1 - std::pow(0.75, 8));
  const double published_us = 1e6 * (sent / 58e9 + 2 * sent / 57e9);
  EXPECT_NEAR(forecast_us(32, 4096, ExchangeKernels::high_throughput) / published_us, 1, 0.05);
}

// 128 tokens, 8 experts each.
TEST(ExpertExchange, LowLatencyIsAsPublished) {
  for (const Published& p :
       {Published{16, 118 + 195}, {32, 155 + 273}, {64, 173 + 314}, {128, 192 + 369}, {256, 194 + 360}})
    EXPECT_NEAR(forecast_us(p.gpus, 128, ExchangeKernels::low_latency) / p.us, 1, 0.08) << p.gpus;
}

// Of eight GPUs with 100 tokens each, seven eighths come over a link of 1 GB/s: 2 bytes a number out and 2 back,
// or 4.5 bits out for experts in nvfp4.
TEST(ExpertExchange, ExpertsInNvfp4AreGivenTokensInNvfp4) {
  const KernelTimes kernels(load_profile("h100_sxm_80g.vllm", {}));
  const Llm llm = load_llm("deepseek-v3", {});
  const auto sends_s = [&](DataType experts) {
    const ExpertExchange exchange(llm, kernels, {.expert_parallel = 8}, {.inside_bytes_per_s = 1e9},
                                  {.kernels = ExchangeKernels::all_gather, .experts = experts});
    return exchange(100).inside_node_s;
  };
  const double numbers = 7.0 / 8 * 8 * 100 * 7168;
  EXPECT_NEAR(sends_s(DataType::bf16), numbers * 4 / 1e9, 1e-9);
  EXPECT_NEAR(sends_s(DataType::fp8_block), numbers * 4 / 1e9, 1e-9);
  EXPECT_NEAR(sends_s(DataType::nvfp4), numbers * (2 + 4.5 / 8) / 1e9, 1e-9);
}

}  // namespace servecast::expert_exchange_test
