#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "models/hw/profile/derived_profile.h"
#include "sim/input/library/hardware.h"
#include "sim/input/library/kernel_profile_file.h"
#include "sim/input/resolve/load_scenario.h"
#include "tests/unit/input/trace_testing.h"
#include "tests/unit/message_of.h"

// A scenario changes figures of its hardware: what was measured is scaled to them, and no other scenario sees them.
namespace servecast::hardware_changes_test {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

const std::string text =
    "workload: {generate: {requests: 1, arrivals: {poisson: {requests_per_s: 1}}, "
    "prompt_tokens: {fixed: 100}, output_tokens: {fixed: 10}}}\n"
    "cluster: {node: dgx_h100, nodes: 2}\n"
    "pools: [{name: chat, llm: llama-3.1-8b, gpu: h100_sxm_80g, engine: none}]\n";

const StepWork decodes{.decode_sequences = 8, .decode_kv_tokens = 8 * 1024, .emitted_tokens = 8};

class Changes : public testing::Test {
 protected:
  Scenario load(const std::vector<Override>& set) {
    return load_scenario(folder_.write("s.yaml", text), set, files_);
  }
  double step_s(const std::vector<Override>& set, const StepWork& work = decodes) {
    return load(set).pools[0].latency->stage(work, 0).seconds;
  }
  std::string complaint(const std::vector<Override>& set) {
    return message_of([&] { load(set); });
  }

  TempFolder folder_{};
  HardwareFiles files_{};  // shared by all, as the designs of a plan share them
};

Override memory(const std::string& bytes_per_s) { return {"gpus.h100_sxm_80g.hbm_bytes_per_s", bytes_per_s}; }

// A decode step is launches and memory: t = l + m, so half the memory rate gives l + 2 m and a quarter l + 4 m.
// m is at least 15.0e9 bytes of weights (8.03e9 parameters less the embedding's 0.53e9, 2 bytes each) at 2.85e12
// bytes/s: 5.26 ms, and at most a fifth more: 8 x 1,024 tokens of KV (131,072 bytes each: 0.35 ms) and elementwise
// work.
void expect_memory_bound(double whole_s, double half_s, double quarter_s) {
  const double memory_s = half_s - whole_s;
  EXPECT_NEAR((quarter_s - half_s) / (2 * memory_s), 1, 0.02);
  EXPECT_GT(memory_s, 0.9 * 5.26e-3);
  EXPECT_LT(memory_s, 1.2 * 5.26e-3);
  EXPECT_NEAR(half_s / whole_s, 2, 0.35);  // launches take less than a third
}

TEST_F(Changes, HalfTheMemoryRateDoublesDecodesOnTheRoofline) {
  const Override roofline{"pools[0].latency.model", "roofline"};
  expect_memory_bound(step_s({roofline}), step_s({roofline, memory("1675e9")}),
                      step_s({roofline, memory("837.5e9")}));
}

TEST_F(Changes, AProfileGoesByTheSameRule) {
  expect_memory_bound(step_s({}), step_s({memory("1675e9")}), step_s({memory("837.5e9")}));
  EXPECT_GT(step_s({memory("3e12")}), step_s({}));
  StepWork prompt;  // 2,048 tokens are arithmetic: twice the peak takes about half
  prompt.add_chunk(2048, 0);
  EXPECT_NEAR(step_s({{"gpus.h100_sxm_80g.peaks.bf16_flop_per_s", "1978.8e12"}}, prompt) / step_s({}, prompt), 0.55,
              0.1);
}

TEST_F(Changes, OperatorsGoByWhatBoundsThem) {
  const Gpu file = load_gpu("h100_sxm_80g", {});
  const FigureChanges changes{{"hbm_bytes_per_s", 1675e9}, {"nvlink_bytes_per_s", 900e9}};
  const std::map<std::string, double> bound_by{
      {"gemm", 0.5}, {"decode_attention", 0.5}, {"all_reduce", 2}, {"h2d", 1}};
  const KernelProfile before = load_profile("h100_sxm_80g.vllm", {});
  const KernelProfile after = scale_profile(before, file, changed(file, changes));
  for (std::size_t i = 0; i < before.operators.size(); ++i) {
    const FittedOperator& a = before.operators[i];
    const FittedOperator& b = after.operators[i];
    EXPECT_EQ(b.law.flop_per_s, a.law.flop_per_s) << a.op;
    EXPECT_EQ(b.law.launch_s, a.law.launch_s) << a.op;
    if (bound_by.contains(a.op)) {
      EXPECT_DOUBLE_EQ(b.law.bytes_per_s, a.law.bytes_per_s * bound_by.at(a.op)) << a.op;
    }
  }
}

TEST_F(Changes, ThatSayWhatTheFileSaysAreNone) {
  const Scenario same = load({memory("3350e9")});
  EXPECT_TRUE(same.changed_hardware.empty());
  EXPECT_TRUE(same.spec.hardware.gpus.empty());
  EXPECT_TRUE(same.pools[0].notes.empty());
  EXPECT_EQ(same.pools[0].latency->stage(decodes, 0).seconds, step_s({}));
}

TEST_F(Changes, AreToldWithWhatFollows) {
  const Scenario s = load({memory("1675e9"), {"nodes.dgx_h100.nic_bytes_per_s", "25e9"}});
  ASSERT_EQ(s.changed_hardware.size(), 2u);
  EXPECT_EQ(s.changed_hardware[0].path, "gpus.h100_sxm_80g.hbm_bytes_per_s");
  EXPECT_EQ(s.changed_hardware[0].from, "3.35e+12");
  EXPECT_EQ(s.changed_hardware[0].to, "1.675e+12");
  EXPECT_EQ(s.changed_hardware[1].path, "nodes.dgx_h100.nic_bytes_per_s");
  EXPECT_THAT(s.pools[0].notes, ElementsAre(AllOf(HasSubstr("h100_sxm_80g.vllm scaled to the changed figures"),
                                                  HasSubstr("memory by its bandwidth"))));
}

// A copy of the H100's file with half the memory bandwidth, under its name and under another.
TEST_F(Changes, OfACopiedFileAreFollowedByItsKernelsAndProfile) {
  std::ifstream in(std::filesystem::path(SERVECAST_SOURCE_DIR) / "scenarios/hw/gpus/h100_sxm_80g.yaml");
  std::string gpu{std::istreambuf_iterator<char>(in), {}};
  const std::string from = "hbm_bytes_per_s: 3350e9";
  gpu.replace(gpu.find(from), from.size(), "hbm_bytes_per_s: 1675e9");
  const auto folder = std::filesystem::temp_directory_path() / ("servecast_copied_gpu_" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder);
  for (const auto& [name, follows] :
       {std::pair("h100_sxm_80g", "h100_sxm_80g.vllm"), std::pair("mine", "roofline")}) {
    const std::string file = (folder / (std::string(name) + ".yaml")).string();
    std::ofstream(file) << gpu;
    const Scenario copied = load({{"pools[0].gpu", file}});
    EXPECT_THAT(copied.pools[0].notes, Contains(AllOf(HasSubstr("'kernels_measured_at'"), HasSubstr(follows))));
    const Override model{"pools[0].latency.model", std::string(name) == "mine" ? "roofline" : "profile"};
    EXPECT_DOUBLE_EQ(copied.pools[0].latency->stage(decodes, 0).seconds, step_s({model, memory("1675e9")})) << name;
  }
  std::filesystem::remove_all(folder);
}

TEST_F(Changes, OfPriceAndCapacityScaleNothing) {
  const Scenario s = load({{"gpus.h100_sxm_80g.usd_per_hour", "5"}, {"gpus.h100_sxm_80g.hbm_bytes", "42.5e9"}});
  EXPECT_EQ(s.pools[0].usd_per_gpu_hour(), 5);
  EXPECT_LT(s.pools[0].memory.kv_pool_tokens, load({}).pools[0].memory.kv_pool_tokens);
  EXPECT_TRUE(s.pools[0].notes.empty());
  EXPECT_EQ(s.pools[0].latency->stage(decodes, 0).seconds, step_s({}));
}

TEST_F(Changes, ReachNodesAndFabrics) {
  const Scenario s = load({{"nodes.dgx_h100.gpu_link", "pcie"},
                           {"nodes.dgx_h100.gpus", "4"},
                           {"fabrics.single_switch.hop_latency_s", "1e-6"}});
  EXPECT_FALSE(s.groups[0].node.nvlink());
  EXPECT_EQ(s.groups[0].node.gpus, 4);
  EXPECT_EQ(s.groups[0].fabric.hop_latency_s, 1e-6);
}

// All designs of a plan read with one HardwareFiles.
TEST_F(Changes, OfOneDesignAreNotAnothers) {
  const double before_s = step_s({});
  const double slow_s = step_s({memory("1675e9")});
  EXPECT_EQ(step_s({}), before_s);
  EXPECT_EQ(step_s({memory("1675e9")}), slow_s);
  EXPECT_GT(step_s({memory("837.5e9")}), slow_s);
  const HardwareChanges none;
  EXPECT_EQ(&files_.gpu("h100_sxm_80g", {}, "", none), &files_.gpu("h100_sxm_80g", {}, ""));
}

// The H800 is scaled from the H100's kernels, as they were measured: what the scenario says of an H100 is not meant.
TEST_F(Changes, OfADerivedGpuStartFromItsOwnDataSheet) {
  const Override h800{"pools[0].gpu", "h800_sxm_80g"};
  const double whole_s = step_s({h800});
  const double half_s = step_s({h800, {"gpus.h800_sxm_80g.hbm_bytes_per_s", "1675e9"}});
  const double quarter_s = step_s({h800, {"gpus.h800_sxm_80g.hbm_bytes_per_s", "837.5e9"}});
  expect_memory_bound(whole_s, half_s, quarter_s);
}

TEST_F(Changes, MistakesSayWhereAndWhatWouldBeRight) {
  EXPECT_THAT(complaint({{"gpus.h100_sxm_80.hbm_bytes_per_s", "1e12"}}),
              AllOf(HasSubstr("--set gpus.h100_sxm_80.hbm_bytes_per_s=1e12"), HasSubstr("unknown gpu 'h100_sxm_80'"),
                    HasSubstr("did you mean 'h100_sxm_80g'?")));
  EXPECT_THAT(complaint({{"gpus.a100_sxm_80g.hbm_bytes_per_s", "1e12"}}),
              HasSubstr("would be ignored: nothing here has gpu 'a100_sxm_80g'. Known: h100_sxm_80g"));
  EXPECT_THAT(complaint({{"gpus.h100_sxm_80g.hbm_bytes_per_sec", "1e12"}}),
              HasSubstr("did you mean 'hbm_bytes_per_s'?"));
  EXPECT_THAT(complaint({{"gpus.h100_sxm_80g.hbm_bytes_per_s", "-1"}}), HasSubstr("must be above 0, not -1"));
  EXPECT_THAT(complaint({{"gpus.h100_sxm_80g.hbm_bytes_per_s", "3.35 TB/s"}}), HasSubstr("must be a number"));
  EXPECT_THAT(complaint({{"gpus.h100_sxm_80g.peaks.int4_flop_per_s", "1e15"}}), HasSubstr("has no such unit"));
  EXPECT_THAT(complaint({{"gpus.h100_sxm_80g.power.cap_w", "800"}}), HasSubstr("at most 'tdp_w', 700 W, not 800 W"));
  EXPECT_THAT(complaint({{"gpus.h100_sxm_80g.kernels_like", "a100_sxm_80g"}}),
              HasSubstr("unknown key 'kernels_like'"));
  EXPECT_THAT(complaint({{"nodes.dgx_h100.gpu_link", "nvlink"}}), HasSubstr("Known: nvswitch, pairs, pcie"));
  EXPECT_THAT(complaint({{"fabrics.fat_tree.oversubscription", "2"}}),
              HasSubstr("nothing here has fabric 'fat_tree'"));
}

}  // namespace servecast::hardware_changes_test
