// Whether kernels start while the one before ends, by engine and by pool.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/input/scenario/scenario.h"
#include "tests/unit/message_of.h"

namespace servecast::dependent_launches_test {

using testing::HasSubstr;

Scenario chat(const std::vector<Override>& overrides) {
  return load_scenario(std::string(SERVECAST_SOURCE_DIR) + "/scenarios/chat.yaml", overrides);
}

bool of_pool(const std::string& engine, const std::string& said) {
  return chat({{"pools[0].engine", engine}, {"pools[0].latency.dependent_launches", said}})
      .pools.at(0)
      .engine.step.dependent_launches;
}

std::string complaint(std::vector<Override> overrides) {
  overrides.push_back({"pools[0].latency.dependent_launches", "on"});
  return message_of([&] { chat(overrides); });
}

TEST(DependentLaunches, AreTheEnginesUnlessAPoolSays) {
  EXPECT_FALSE(of_pool("trtllm-1.0", "auto"));
  EXPECT_TRUE(of_pool("trtllm-1.0", "on"));
  EXPECT_TRUE(of_pool("trtllm-1.2", "auto"));
  EXPECT_FALSE(of_pool("trtllm-1.2", "off"));
}

TEST(DependentLaunches, AreAskedForWhereTheyAreKnown) {
  EXPECT_EQ(complaint({{"pools[0].engine", "trtllm-1.0"}}), "");
  EXPECT_THAT(complaint({{"pools[0].engine", "trtllm-0.15"}}), HasSubstr("what engine trtllm-0.15 saves by them"));
  EXPECT_THAT(complaint({{"pools[0].engine", "trtllm-1.0"}, {"pools[0].latency.model", "roofline"}}),
              HasSubstr("without a kernel profile"));
}

}  // namespace servecast::dependent_launches_test
