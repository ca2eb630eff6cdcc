// The largest step that runs as a CUDA graph, by engine, batch and pool.
#include <gtest/gtest.h>

#include "sim/input/scenario/scenario.h"

namespace servecast::graph_tokens_test {

std::int64_t of_pool(const std::vector<Override>& overrides) {
  return load_scenario(std::string(SERVECAST_SOURCE_DIR) + "/scenarios/chat.yaml", overrides)
      .pools.at(0)
      .engine.step.cuda_graph_max_tokens;
}

TEST(GraphTokens, AreTheEnginesButNoMoreThanTwiceTheSequences) {
  EXPECT_EQ(of_pool({{"pools[0].batcher.max_num_seqs", "300"}}), 512);
  EXPECT_EQ(of_pool({{"pools[0].batcher.max_num_seqs", "128"}}), 256);
}

TEST(GraphTokens, AreThoseOfThePoolWhereItSays) {
  EXPECT_EQ(of_pool({{"pools[0].batcher.max_num_seqs", "8"}, {"pools[0].latency.cuda_graph_max_tokens", "2048"}}),
            2048);
  EXPECT_EQ(of_pool({{"pools[0].latency.cuda_graph_max_tokens", "0"}}), 0);
}

}  // namespace servecast::graph_tokens_test
