// Prompts alone, prefill and decode apart behind a router, and files that no reader knows.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "calibrate/servers/measured_server.h"
#include "calibrate/servers/read/left_out.h"
#include "sim/input/resolve/load_scenario.h"
#include "sim/plan/runs/child_process.h"
#include "sim/report/files/text_file.h"

namespace servecast::prefill_test {

using testing::HasSubstr;

class PrefillRows : public testing::Test {
 protected:
  std::string file(const std::string& name, const std::string& text) const {
    write_text(scratch_ / name, text);
    return scratch_ / name;
  }
  Scenario scenario_of(const MeasuredServer& server) const {
    return load_scenario(file("scenario.yaml", server.scenario), {{"pools[0].engine", server.engine}});
  }

  ScratchFolder scratch_;
};

TEST_F(PrefillRows, ALonePromptIsOneStep) {
  const ReadServers read = lone_prompt_servers(
      file("rows.csv",
           "model,gpu,engine,tp,chunk_tokens,prefill_tok_s\ngpt-oss-120b,H100,vLLM 0.22.0 repeat,1,8192,39000\n"));
  ASSERT_EQ(read.servers.size(), 1u);
  EXPECT_EQ(read.servers[0].engine, "vllm-0.15");
  EXPECT_EQ(read.servers[0].stages[0].measured[0].value, 39000);
  EXPECT_THAT(read.servers[0].scenario, HasSubstr("max_num_batched_tokens: 8192"));
}

constexpr const char* wide_header = "who,phase,gpu,gpus,length,batch,tok_s_per_node,note\n";

// 16,384 tokens of each of 32 ranks, of four nodes.
TEST_F(PrefillRows, WideExpertsFillEveryRank) {
  const ReadServers read = wide_expert_servers(file(
      "rows.csv", std::string(wide_header) + "LMSYS/SGLang,prefill,H100,32 (EP32),4096,16384,50302,default EPLB\n"));
  ASSERT_EQ(read.servers.size(), 1u);
  EXPECT_EQ(read.servers[0].stages[0].measured[0].value, 4 * 50302);
  EXPECT_THAT(read.servers[0].scenario, HasSubstr("chunked_prefill_size: 524288"));
  EXPECT_EQ(scenario_of(read.servers[0]).pools[0].shape().ranks(), 32);
}

TEST_F(PrefillRows, OtherEnginesAndRatiosAreNamed) {
  const ReadServers read = wide_expert_servers(
      file("rows.csv", std::string(wide_header) + "DeepSeek production,prefill,H800,EP32,,,32206,\n"
                                                  "LMSYS,prefill speed-up over TP16,H100,32,,,3.3x,\n"));
  ASSERT_EQ(read.left_out.size(), 2u);
  EXPECT_THAT(read.left_out[0].why, HasSubstr("DeepSeek's own engine"));
  EXPECT_THAT(read.left_out[1].why, HasSubstr("a ratio of two servers"));
}

constexpr const char* apart_header =
    "workload,arm,target_rps,e2e_mean_s,e2e_p90_s,ttft_mean_s,tpot_mean_ms\n"
    "all stages,PD NIXL,5-40,9.1,24.01,7.404,6.573\n"
    "eviction stage,PD NIXL,15,,2.381,,\n";

// The third of eight rates; 1,630,790 tokens of KV on each prefill server are 12,740 blocks.
TEST_F(PrefillRows, ServersApartBehindARouterHaveStages) {
  const ReadServers read = routed_apart_servers(file("rows.csv", apart_header));
  ASSERT_EQ(read.servers.size(), 1u);
  const MeasuredServer& server = read.servers[0];
  ASSERT_EQ(server.stages.size(), 2u);
  EXPECT_EQ(server.stages[0].request_class, "");
  EXPECT_NEAR(server.stages[0].measured[2].value, 0.006573, 1e-12);
  EXPECT_EQ(server.stages[1].request_class, "stage 3");
  const Scenario scenario = scenario_of(server);
  EXPECT_EQ(scenario.pools[0].spec.replicas, 8);
  EXPECT_EQ(scenario.pools[1].spec.tensor_parallel, 4);
  EXPECT_THAT(server.scenario, HasSubstr("num_gpu_blocks_override: 12740"));
}

TEST_F(PrefillRows, CpuMemoryOfUnknownSizeIsNotMadeUp) {
  const ReadServers read = routed_apart_servers(
      file("rows.csv", "workload,arm,target_rps\neviction stage,\"PD + CPU, router blind\",5\n"));
  ASSERT_EQ(read.left_out.size(), 1u);
  EXPECT_THAT(read.left_out[0].why, HasSubstr("size of the CPU memory"));
}

// Known ones say what is missing; notes beside them are no measurements.
TEST_F(PrefillRows, FilesThatNobodyReadsAreNamed) {
  file("llmd_pd_gptoss120b_h200.csv", apart_header);
  file("deepgemm_h800_fp8_block.csv", "kind,m\ndense,64\n");
  file("tomorrow.csv", "a\n1\n");
  file("notes.txt", "no rows\n");
  const std::string text = left_out_text(all_servers(scratch_ / "").left_out);
  EXPECT_THAT(text, HasSubstr("- deepgemm_h800_fp8_block.csv: times of kernels, no servers\n"));
  EXPECT_THAT(text, HasSubstr("- tomorrow.csv: no reader knows this file\n"));
  EXPECT_THAT(text, testing::Not(HasSubstr("notes.txt")));
}

}  // namespace servecast::prefill_test
