// Caches of experts, replayed on a trace by hand and on the recorded routing of gpt-oss-20b. The recording is not
// part of the project; SERVECAST_DATA says where it is.
#include "sim/input/trace/cache/expert_replay.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "sim/input/trace/read/routing_files.h"

namespace servecast::expert_replay_test {

std::string data(const std::string& name) {
  const char* given = std::getenv("SERVECAST_DATA");
  const std::string path =
      (given ? std::string(given) : std::string(SERVECAST_SOURCE_DIR) + "/../shared/data") + "/traces/moe/" + name;
  return std::filesystem::exists(path) ? path : std::string();
}

constexpr ExpertShape gpt_oss_20b{.layers = 24, .experts = 32, .active = 4};

TEST(ExpertReplay, CountsByHand) {
  // One layer, top-1, two generations: 0 1 0 2 0 1 | 1 1.
  RoutingTrace trace{.shape = {.layers = 1, .experts = 4, .active = 1}, .first_token = {0, 6, 8}};
  trace.experts = {0, 1, 0, 2, 0, 1, 1, 1};
  trace.gates.assign(8, 255);
  const ExpertReplayReport report =
      replay_experts(trace, {.slots = {2}, .policies = {"lru", "belady", "frequency_pinned"}});
  // lru: 0 and 1 come in, 0 hits, 2 pushes 1 out, 0 hits, 1 misses; cold again: one hit.
  EXPECT_EQ(report.results[0].hits, std::vector<std::int64_t>{3});
  // belady: 2 is never wanted again and not taken in, so 1 hits, too.
  EXPECT_EQ(report.results[1].hits, std::vector<std::int64_t>{4});
  // Used most are 1 (four times) and 0 (three): all but 2 hit.
  EXPECT_EQ(report.results[2].hits, std::vector<std::int64_t>{7});
  EXPECT_NEAR(report.statistics.repeat_fraction, 1.0 / 6, 1e-12) << "only the second token of the second generation";
}

TEST(ExpertReplay, OfGptOssIsAsWasComputedElsewhere) {
  const std::string folder = data("gptoss20b");
  if (folder.empty()) GTEST_SKIP() << "needs SERVECAST_DATA";
  const RoutingTrace trace = read_routing_trace(folder, gpt_oss_20b, {});
  EXPECT_EQ(trace.tokens(), 215'438);
  EXPECT_EQ(trace.generations(), 703);
  const ExpertReplayReport report =
      replay_experts(trace, {.slots = {8, 12, 16, 24}, .policies = {"lru", "frequency_pinned"}});
  const double lru[] = {62.1, 78.5, 88.6, 96.6};
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(100 * report.fraction(report.results[i]), lru[i], 0.05);
  // Layer by layer, from the statistics beside the trace.
  const double uses = report.uses_per_layer();
  EXPECT_NEAR(static_cast<double>(report.results[0].hits[0]) / uses, 0.3188, 5e-5);
  EXPECT_NEAR(static_cast<double>(report.results[1].hits[1]) / uses, 0.5847, 5e-5);
  EXPECT_NEAR(static_cast<double>(report.results[2].hits[3]) / uses, 0.8997, 5e-5);
  EXPECT_NEAR(static_cast<double>(report.results[3].hits[2]) / uses, 0.9594, 5e-5);
  EXPECT_NEAR(static_cast<double>(report.results[6].hits[0]) / uses, 0.6818, 1e-3) << "the best 16, fixed";
  EXPECT_NEAR(report.statistics.load_max_over_mean, 2.62, 0.005);
  EXPECT_NEAR(report.statistics.load_entropy_fraction, 0.919, 0.0005);
  EXPECT_NEAR(report.statistics.top_quarter_fraction, 0.495, 0.0005);
  EXPECT_NEAR(report.statistics.repeat_fraction, 0.437, 0.0005);
  const double distinct[] = {4, 7.3, 12.0, 18.2, 23.4, 26.9, 29.0, 30.3};  // random batches: 64 per layer here
  for (std::size_t i = 0; i < 8; ++i) EXPECT_NEAR(report.statistics.distinct_by_batch[i], distinct[i], 0.3);
}

TEST(RoutingFiles, CountsOfMixtralAreReadByModelAndDomain) {
  const std::string folder = data("olmoe_mixtral");
  if (folder.empty()) GTEST_SKIP() << "needs SERVECAST_DATA";
  const RoutingFiles files{.counts = folder + "/expert_counts.derived.csv.gz",
                           .co_activation = folder + "/expert_crosslayer_counts.derived.csv.gz",
                           .model = "Mixtral-8x7B-v0.1",
                           .domain = "arxiv"};
  const ExpertCounts counts = read_expert_counts(files, 8);
  ASSERT_EQ(counts.layers.size(), 3U);
  EXPECT_EQ(counts.layers[1].layer, 7);
  EXPECT_EQ(counts.layers[0].counts[0], 55'713);
  ASSERT_EQ(counts.pairs.size(), 2U);
  EXPECT_EQ(counts.pairs[0].from, 0);
  EXPECT_EQ(counts.pairs[0].to, 7);
  EXPECT_EQ(counts.pairs[0].counts[1], 8'429);
}

TEST(RoutingFiles, SaysWhatIsMissing) {
  try {
    read_routing_trace("/no/such/folder", gpt_oss_20b, {});
    FAIL();
  } catch (const UserError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("there is no folder '/no/such/folder'"));
  }
}

}  // namespace servecast::expert_replay_test
