// Experts that are not wanted equally often: forecasts of whole pools.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "sim/input/resolve/load_scenario.h"
#include "tests/unit/input/trace_testing.h"

namespace servecast::expert_balance_test {

/// The decode unit of DeepSeek-V3 with all experts wanted equally often.
std::string even_scenario() {
  std::ifstream file(std::string(SERVECAST_SOURCE_DIR) + "/scenarios/papers/s18_deepseek_decode.yaml");
  std::string text{std::istreambuf_iterator<char>(file), {}};
  const std::string balance = "    expert_balance: {}\n";
  return text.erase(text.find(balance), balance.size());
}

/// Unless the overrides say otherwise.
double step_s(const std::vector<Override>& overrides) {
  const TempFolder folder;
  const Scenario scenario = load_scenario(folder.write("even.yaml", even_scenario()), overrides);
  const StepWork work{.decode_sequences = 12686, .decode_kv_tokens = 12686 * 4989, .emitted_tokens = 12686};
  return scenario.pools[0].latency->stage(work, 0).seconds;
}

// DeepSeek-V3, every expert as far from even as gpt-oss's law of 32 makes 256. Over 128 GPUs with two experts each,
// the GPU of the busiest is the fullest however they are packed; 32 copies over 144 GPUs win back nearly all.
TEST(ExpertBalance, CopiesWinBackWhatSkewLoses) {
  const std::vector<Override> fewer{{"pools[0].expert_parallel", "128"},
                                    {"pools[0].expert_exchange.redundant_experts", "0"},
                                    {"cluster.nodes", "16"}};
  const auto with = [&](const std::string& balance) {
    std::vector<Override> all = fewer;
    if (!balance.empty()) all.push_back({"pools[0].expert_balance", balance});
    return step_s(all);
  };
  const double even = with("");
  const double in_order = with("{placement: in_order, profile_tokens: 2048}");
  const double packed = with("{profile_tokens: 2048}");
  RecordProperty("in_order", std::to_string(in_order / even));
  RecordProperty("packed", std::to_string(packed / even));
  EXPECT_GT(packed / even, 1.2);
  EXPECT_GT(in_order / even, 1.2);
  const double copies = step_s({{"pools[0].expert_balance", "{profile_tokens: 2048}"}}) / step_s({});
  RecordProperty("copies", std::to_string(copies));
  EXPECT_GT(copies, 1);
  EXPECT_LT(copies, 1.2);
}

// Routing without skew leaves what chance does to a batch.
TEST(ExpertBalance, EvenRoutingCostsLittle) {
  const std::string even =
      "{routing: {policy: synthetic, zipf_exponent: 0, repeat_fraction: 0, successor_fraction: 0}, profile_tokens: "
      "2048}";
  const double ratio = step_s({{"pools[0].expert_balance", even}}) / step_s({});
  RecordProperty("ratio", std::to_string(ratio));
  EXPECT_GT(ratio, 1);
  EXPECT_LT(ratio, 1.3);
}

}  // namespace servecast::expert_balance_test
