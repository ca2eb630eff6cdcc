#include "calibrate/servers/page/peer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace servecast::peer_test {

using testing::HasSubstr;

ComparedFigure tpot(Regime regime, const char* model, const char* engine, bool experts, double forecast) {
  return {.regime = regime,
          .model = model,
          .engine = engine,
          .experts = experts,
          .figure = ServerFigure::tpot_mean,
          .measured = 1,
          .forecast = forecast};
}

// Errors of 10, 20 and 30 %, and one of an offline run, which is none of these.
TEST(PeerTable, HasClosedLoopsByEngineAndModel) {
  const std::string text =
      peer_table(std::vector{tpot(Regime::blackwell, "gpt-oss-120b", "vllm-0.15", true, 1.1),
                             tpot(Regime::closed_loop_others, "llama-3-8b", "trtllm-1.0", false, 1.2),
                             tpot(Regime::closed_loop_experts, "deepseek-v3", "trtllm-1.0", true, 0.7),
                             tpot(Regime::offline, "llama-3-8b", "trtllm-1.0", false, 9)});
  EXPECT_THAT(text, HasSubstr("| all | 20.0 % / 30.0 % of 3 | 9.5 % / 44 % | – | 41 % / 83 % |\n"));
  EXPECT_THAT(text, HasSubstr("| gpt-oss with vLLM | 10.0 % / 10.0 % of 1 | 5.7 % | – | – |\n"));
  EXPECT_THAT(text, HasSubstr("| experts with TensorRT-LLM | 30.0 % / 30.0 % of 1 |"));
  EXPECT_EQ(peer_table(std::vector{tpot(Regime::offline, "llama-3-8b", "trtllm-1.0", false, 9)}), "");
}

}  // namespace servecast::peer_test
