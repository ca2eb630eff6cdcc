// Requests with images: each takes the encoder's time before its first token, once.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "models/hw/additions/image_encoder.h"
#include "sim/input/resolve/load_scenario.h"
#include "sim/report/summary/summary.h"
#include "tests/unit/engine/scenario_text.h"

namespace servecast::images_test {

std::string seeing(const std::string& workload, const std::string& pool = "", const std::string& llm = "gemma-3-27b") {
  return fmt::format(R"(
workload:
  generate:
    requests: 4
    arrivals: {{constant: {{requests_per_s: 0.1}}}}
    prompt_tokens: {{fixed: 900}}
    output_tokens: {{fixed: 5}}
  {}
cluster: {{node: dgx_h100}}
pools:
  - name: chat
    llm: {}
    gpu: h100_sxm_80g
    tensor_parallel: 2
    engine: none
    latency: {{model: roofline}}
    {}
)",
                     workload, llm, pool);
}

double mean_ttft_s(const std::string& text) {
  Scenario scenario = scenario_from(text);
  Recorder recorder(scenario.pools.size());
  const RunFacts facts = run_without_engine(scenario, recorder, {});
  return summarise(recorder, facts).latencies.ttft_s->mean;
}

double encoder_s(std::int64_t images) {
  const Scenario scenario = scenario_from(seeing(""));
  const Pool& pool = scenario.pools.front();
  return encoder_time(*pool.llm.vision, *pool.gpu.kernels, 2, images, images * 256).seconds;
}

TEST(Images, AreEncodedBeforeTheFirstToken) {
  const double text_s = mean_ttft_s(seeing(""));
  EXPECT_NEAR(mean_ttft_s(seeing("images: {tokens: 256}")) - text_s, encoder_s(1), 1e-9);
  EXPECT_NEAR(mean_ttft_s(seeing("images: {count: 3, tokens: 256}")) - text_s, encoder_s(3), 1e-9);
}

// 900 tokens have room for three.
TEST(Images, AreNoMoreThanThePromptHolds) {
  EXPECT_DOUBLE_EQ(mean_ttft_s(seeing("images: {count: 30, tokens: 256}")),
                   mean_ttft_s(seeing("images: {count: 3, tokens: 256}")));
}

// Chunks of 256 tokens begin one image each.
TEST(Images, AreEncodedWithTheChunkThatBeginsThem) {
  const std::string chunks = "batcher: {policy: sarathi, chunk_tokens: 256}";
  const double more_s =
      mean_ttft_s(seeing("images: {count: 3, tokens: 256}", chunks)) - mean_ttft_s(seeing("", chunks));
  EXPECT_NEAR(more_s, 3 * encoder_s(1), 1e-9);
}

TEST(Images, AreRefusedWhereTheModelHasNoEncoder) {
  try {
    scenario_from(seeing("images: {tokens: 256}", "", "llama-3.1-8b"));
    FAIL();
  } catch (const UserError& error) {
    EXPECT_NE(std::string(error.what()).find("llama-3.1-8b has no encoder of images"), std::string::npos);
  }
}

}  // namespace servecast::images_test
