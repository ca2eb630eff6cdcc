#include <gtest/gtest.h>
#include <sys/resource.h>

#include "sim/input/resolve/load_scenario.h"
#include "tests/unit/input/trace_testing.h"

// A scenario of many pools takes a little for each: what they have in common is there once.
namespace servecast::many_pools_test {

/// So many pools, in turn on GPUs that were measured and one that is derived from one of them.
std::string scenario_of(int pools, const std::string& more = "") {
  std::string text =
      "workload: {generate: {requests: 1, arrivals: {poisson: {requests_per_s: 1}}, "
      "prompt_tokens: {fixed: 100}, output_tokens: {fixed: 10}}}\n"
      "cluster: {node: dgx_h100, nodes: 1000}\n" +
      more + "pools:\n";
  const char* gpus[] = {"h100_sxm_80g", "h100_sxm_80g", "h200_sxm_141g", "h800_sxm_80g"};
  for (int i = 0; i < pools; ++i)
    text += "  - {name: p" + std::to_string(i) + ", llm: llama-3.1-8b, gpu: " + gpus[i % 4] + "}\n";
  return text;
}

double held_bytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return 1024.0 * static_cast<double>(usage.ru_maxrss);
}

TEST(ManyPools, ShareTheProfilesThatTheyUse) {
  const TempFolder folder;
  const Scenario few = load_scenario(folder.write("few.yaml", scenario_of(4)));
  EXPECT_EQ(few.profiles.size(), 3u);  // as measured on H100 and H200, and scaled to the H800
  const Scenario many = load_scenario(folder.write("many.yaml", scenario_of(400)));
  EXPECT_EQ(many.profiles.size(), 3u);
  const StepWork work{.decode_sequences = 8, .decode_kv_tokens = 8000, .emitted_tokens = 8};
  for (std::size_t i = 0; i < many.pools.size(); ++i)
    EXPECT_EQ(many.pools[i].latency->stage(work, 0).seconds, few.pools[i % 4].latency->stage(work, 0).seconds);
  EXPECT_GT(few.pools[3].latency->stage(work, 0).seconds, 0);
  EXPECT_NE(few.pools[0].latency->stage(work, 0).seconds, few.pools[2].latency->stage(work, 0).seconds);
}

TEST(ManyPools, TakeLittleMemoryEach) {
  const TempFolder folder;
  const std::string file = folder.write("many.yaml", scenario_of(1000));
  load_scenario(folder.write("few.yaml", scenario_of(4)));
  const double before = held_bytes();
  const Scenario many = load_scenario(file);
  EXPECT_LT((held_bytes() - before) / 1000, 200e3);  // a profile has 1.5 MB
}

TEST(ManyPools, DrawnProfilesAreShared) {
  const TempFolder folder;
  const Scenario many = load_scenario(folder.write("many.yaml", scenario_of(40, "calibration_draw: 3\n")));
  EXPECT_EQ(many.profiles.size(), 3u);
}

}  // namespace servecast::many_pools_test
