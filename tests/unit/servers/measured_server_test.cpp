// The measured servers as scenarios: what ran is what is simulated.
#include "calibrate/servers/measured_server.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "sim/engine/run/run.h"
#include "sim/input/resolve/load_scenario.h"
#include "sim/report/record/recorder.h"
#include "sim/report/record/run_facts.h"

namespace servecast::measured_server_test {

class MeasuredServers : public testing::Test {
 protected:
  void SetUp() override {
    const char* data = std::getenv("SERVECAST_DATA");
    folder_ = data ? std::string(data) + "/measured" : std::string(SERVECAST_SOURCE_DIR "/../shared/data/measured");
    if (!std::filesystem::exists(folder_)) GTEST_SKIP() << "no measured servers here";
  }
  void TearDown() override { std::filesystem::remove(file_); }

  Scenario load(const MeasuredServer& server) const {
    std::ofstream(file_) << server.scenario;
    return load_scenario(file_.string(), {{"pools[0].engine", server.engine}});
  }

  std::string folder_;
  std::filesystem::path file_ =
      std::filesystem::temp_directory_path() / ("servecast-measured-" + std::to_string(getpid()) + ".yaml");
};

TEST_F(MeasuredServers, OpenLoopHasEighteenStagesOfThreeModels) {
  const auto servers = open_loop_servers(folder_ + "/vllm_h100_open_loop.csv").servers;
  EXPECT_EQ(servers.size(), 12u);
  std::size_t stages = 0;
  std::size_t saturated = 0;
  for (const MeasuredServer& server : servers)
    for (const MeasuredStage& stage : server.stages) {
      ++stages;
      saturated += stage.saturated ? 1 : 0;
    }
  EXPECT_EQ(stages, 18u);
  EXPECT_EQ(saturated, 3u);
}

TEST_F(MeasuredServers, OneOfEachKindLoads) {
  for (const auto& [servers, left_out] : {open_loop_servers(folder_ + "/vllm_h100_open_loop.csv"),
                                          closed_loop_servers(folder_ + "/closed_loop_h100.csv"),
                                          offline_servers(folder_ + "/trtllm_offline_throughput.csv")}) {
    ASSERT_FALSE(servers.empty());
    EXPECT_EQ(load(servers.front()).pools.size(), 1u);
    EXPECT_EQ(load(servers.back()).pools.size(), 1u);
  }
}

// After the first hundred requests every prompt is in the cache but for its last, partly filled block: the data say
// that 96 to 98.6 % of prompt tokens were found there.
TEST_F(MeasuredServers, PrefixHitsAreThoseOfTheRealServers) {
  for (const MeasuredServer& server : open_loop_servers(folder_ + "/vllm_h100_open_loop.csv").servers) {
    if (server.stages.front().saturated) continue;
    Scenario scenario = load(server);
    Recorder recorder(1);
    run_without_engine(scenario, recorder, {});
    double prompt = 0;
    double cached = 0;
    for (const RequestRecord& r : recorder.requests().subspan(100)) {
      prompt += static_cast<double>(r.prompt_tokens);
      cached += static_cast<double>(r.cached_tokens);
    }
    EXPECT_GE(cached / prompt, 0.96) << server.name;
    EXPECT_LE(cached / prompt, 0.99) << server.name;
  }
}

}  // namespace servecast::measured_server_test
