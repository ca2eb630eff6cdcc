// Rows are forecast as what they say they are, or left out with a reason.
#include "calibrate/servers/read/left_out.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "models/base/error.h"
#include "sim/input/resolve/load_scenario.h"
#include "sim/plan/runs/child_process.h"
#include "sim/report/files/text_file.h"

namespace servecast::left_out_test {

using testing::HasSubstr;

constexpr const char* closed_header =
    "system,model_path,backend,backend_version,precision,mode,isl,osl,concurrency,tp_size,pp_size,attention_dp_size,"
    "moe_ep_size,silicon_ttft_ms,silicon_tpot_ms,id\n";
constexpr const char* offline_header = "engine,gpu,precision,model,tp,isl,osl,num_requests,metric,value\n";
constexpr const char* open_header =
    "experiment,gpu,engine,model,tp,max_num_batched_tokens,max_num_seqs,stage,rate_rps,duration_s,system_prompt_len,"
    "output_len,failures,prompt_len_mean,e2e_mean_s,ttft_mean_s,ttft_p99_s\n";

class Rows : public testing::Test {
 protected:
  std::string file(const std::string& text) const {
    std::ofstream(scratch_ / "rows.csv") << text;
    return scratch_ / "rows.csv";
  }
  /// Why the one row, in line 2, is left out.
  static std::string why(const ReadServers& read) {
    EXPECT_TRUE(read.servers.empty());
    EXPECT_EQ(read.left_out.size(), 1u);
    EXPECT_EQ(read.left_out.front().line, 2u);
    return read.left_out.front().why;
  }
  std::string why_closed(const std::string& row) const {
    return why(closed_loop_servers(file(closed_header + row + "\n")));
  }
  std::string why_offline(const std::string& row) const {
    return why(offline_servers(file(offline_header + row + "\n")));
  }
  Pool pool_of(const MeasuredServer& server) const {
    write_text(scratch_ / "scenario.yaml", server.scenario);
    Scenario scenario = load_scenario(scratch_ / "scenario.yaml", {{"pools[0].engine", server.engine}});
    return std::move(scenario.pools[0]);
  }

  ScratchFolder scratch_;
};

/// A row of the dump: of DeepSeek-R1 in fp8 on eight B200.
std::string dumped(const std::string& id, const std::string& engine, const std::string& version,
                   const std::string& day) {
  return "system,model_path,backend,backend_version,precision,gemm_quant_mode,mode,isl,osl,concurrency,tp_size,moe_"
         "tp_size,"
         "moe_ep_size,silicon_ttft_ms,silicon_tpot_ms,id,measured\nb200_sxm,deepseek-ai/DeepSeek-R1," +
         engine + "," + version + ",fp8,,agg,1024,1024,64,8,8,1,90,8," + id + "," + day + "\n";
}

// The benchmark's change log names the runs with drafts, and other rows tell how often TensorRT-LLM's are right;
// those without drafts say how they batched prompts.
TEST_F(Rows, UnmarkedDraftsAreThoseOfOtherRows) {
  const auto read = [&](const std::string& text) { return closed_loop_servers(file(text)); };
  EXPECT_THAT(why(read(dumped("2026_1", "sglang", "0.5.9", "2026-03-25"))), HasSubstr("which the row does not mark"));
  for (const std::string& row : {dumped("2026_1", "trtllm", "1.2.0rc6.post3", "2026-02-05"),
                                 dumped("2026_1", "trtllm", "1.1.0rc2.post2", "2026-01-14")})
    EXPECT_THAT(read(row).servers.at(0).scenario, HasSubstr("{policy: mtp, num_speculative_tokens: 3"));
  const ReadServers trtllm = read(dumped("dsr1_cfg75", "trtllm", "1.2.0rc6.post2", "2026-01-29"));
  EXPECT_THAT(trtllm.servers.at(0).scenario,
              HasSubstr("batch_wait_timeout_iters: 40, batch_wait_max_tokens_ratio: 0.8"));
  const ReadServers sglang = read(dumped("dsr1_cfg87", "sglang", "0.5.9", "2026-03-25"));
  EXPECT_THAT(sglang.servers.at(0).scenario, HasSubstr("scheduler_recv_interval: 30"));
  EXPECT_THAT(sglang.servers.at(0).scenario, HasSubstr("profile: b200_sxm_180g.trtllm"));
}

TEST_F(Rows, ClosedLoopIsWhatTheRowSays) {
  const ReadServers read = closed_loop_servers(
      file(closed_header +
           std::string("h200_sxm,Qwen/Qwen3-32B,trtllm,1.0.0rc3,fp8,agg,1024,128,8,2,2,,1,90,8,one\n"
                       "a100_sxm,meta-llama/Llama-3.1-8B-Instruct,vllm,0.15.1,,agg,1024,128,8,1,1,1,1,90,8,two\n")));
  ASSERT_EQ(read.servers.size(), 2u);
  EXPECT_TRUE(read.left_out.empty());
  EXPECT_EQ(read.servers[0].engine, "trtllm-1.0");
  EXPECT_EQ(read.servers[0].model, "qwen3-32b");
  const Pool qwen = pool_of(read.servers[0]);
  EXPECT_EQ(qwen.llm.name, "qwen3-32b");
  EXPECT_EQ(qwen.gpu.name, "h200_sxm_141g");
  EXPECT_EQ(qwen.spec.weights, "fp8_block");  // as Qwen publishes it
  EXPECT_EQ(qwen.spec.tensor_parallel, 2);
  EXPECT_EQ(qwen.spec.pipeline_parallel, 2);
  EXPECT_EQ(read.servers[1].engine, "vllm-0.15");
  const Pool llama = pool_of(read.servers[1]);
  EXPECT_EQ(llama.llm.name, "llama-3.1-8b");
  EXPECT_EQ(llama.gpu.name, "a100_sxm_80g");
  EXPECT_EQ(llama.spec.weights, "bf16");
}

TEST_F(Rows, ClosedLoopRowsOfWhatNobodyBundledAreNamed) {
  EXPECT_EQ(why_closed("h100_sxm,some/Model-5B,vllm,,fp8,agg,1024,128,8,1,1,1,1,90,8,a"),
            "no bundled model is known for 'some/Model-5B'");
  EXPECT_EQ(why_closed("mi325x,Qwen/Qwen3-32B,vllm,,fp8,agg,1024,128,8,1,1,1,1,90,8,a"),
            "no bundled GPU is known for 'mi325x'");
  EXPECT_EQ(why_closed("h100_sxm,Qwen/Qwen3-32B,sglang,0.3.2,fp8,agg,1024,128,8,1,1,1,1,90,8,a"),
            "no bundled engine is that of 'sglang' version '0.3.2'; known are vllm-0.6, vllm-0.12, vllm-0.15, "
            "sglang-0.5, trtllm-0.15, trtllm-1.0, trtllm-1.2");
  EXPECT_THAT(why_closed("h100_sxm,Qwen/Qwen3-32B,atom,0.1,fp8,agg,1024,128,8,1,1,1,1,90,8,a"), HasSubstr("'atom'"));
  EXPECT_EQ(why_closed("h100_sxm,Qwen/Qwen3-32B,vllm,0.15.1,fp3,agg,1024,128,8,1,1,1,1,90,8,a"),
            "weights in 'fp3' are not modelled; known are bf16, fp16, fp8, fp8_block, int8, w8a8, int4, w4a8, "
            "mxfp4, w4a8_mxfp4, nvfp4");
}

TEST_F(Rows, ClosedLoopRowsOfOtherShapesAreNamed) {
  EXPECT_THAT(why_closed("h100_sxm,Qwen/Qwen3-32B,vllm,,fp8,disagg,1024,128,8,1,1,1,1,90,8,a"),
              HasSubstr("no disaggregated server of 'vllm'"));
  EXPECT_THAT(why_closed("h100_sxm,Qwen/Qwen3-32B,vllm,,fp8,agg,1024,128,8,1,1,4,1,90,8,a"),
              HasSubstr("no experts to spread"));
  EXPECT_EQ(why_closed("h100_sxm,Qwen/Qwen3-32B,vllm,,fp8,agg,1024,128,8,8,2,1,1,90,8,a"),
            "16 GPUs are no share of a dgx_h100 of 8");
  EXPECT_THAT(why_closed("h100_sxm,Qwen/Qwen3-32B,vllm,,fp8,agg,1024,128,,1,1,1,1,90,8,a"), HasSubstr("clients"));
}

// A number that is none is the user's mistake, not a row to leave out.
TEST_F(Rows, BrokenNumbersAreErrors) {
  const std::string broken =
      file(closed_header + std::string("h100_sxm,Qwen/Qwen3-32B,vllm,,fp8,agg,1024,128,8.5,1,1,1,1,90,8,a\n"));
  EXPECT_THROW(closed_loop_servers(broken), UserError);
}

TEST_F(Rows, OfflineRowsOfWhatNobodyBundledAreNamed) {
  const char* rest = ",1,128,128,3000,output tokens/s,1000";
  EXPECT_EQ(why_offline(std::string("TensorRT-LLM 0.15.0,H100-SXM-80GB,FP8,Some 5B") + rest),
            "no bundled model is known for 'Some 5B'");
  EXPECT_EQ(why_offline(std::string("TensorRT-LLM 0.15.0,B200-NVL-180GB,FP8,LLaMA v3 70B") + rest),
            "no bundled GPU is known for 'B200-NVL-180GB'");
  EXPECT_THAT(why_offline(std::string("TensorRT-LLM 0.10.0,H100-SXM-80GB,FP8,LLaMA v3 70B") + rest),
              HasSubstr("TensorRT-LLM 0.10's pages do not say"));
  EXPECT_THAT(why_offline(std::string("TensorRT-LLM 0.15.0,H100-SXM-80GB,NVFP4,LLaMA v3 70B") + rest),
              HasSubstr("weights in 'NVFP4'"));
  EXPECT_THAT(why_offline("TensorRT-LLM 0.15.0,H100-SXM-80GB,FP8,LLaMA v3 70B,1,128,128,3000,ms,1000"),
              HasSubstr("'ms' is not compared"));
}

TEST_F(Rows, OpenLoopRunsAreWhatTheirRowsSayOrNamed) {
  const auto run = [](const char* gpu, const char* engine, const char* model) {
    return std::string("run,") + gpu + "," + engine + "," + model +
           ",1,2048,128,0,5,60,100,200,0,500,2.0,0.02,0.04\n";
  };
  const ReadServers read =
      open_loop_servers(file(open_header + run("A100-SXM4-80GB", "vLLM 0.15.1", "meta-llama/Llama-2-7b-hf")));
  ASSERT_EQ(read.servers.size(), 1u);
  EXPECT_EQ(pool_of(read.servers[0]).gpu.name, "a100_sxm_80g");
  EXPECT_THAT(why(open_loop_servers(file(open_header + run("H100-SXM-80GB", "SGLang 0.5", "Qwen/Qwen3-32B")))),
              HasSubstr("'SGLang 0.5'"));
  EXPECT_THAT(why(open_loop_servers(file(open_header + run("TPU", "vLLM 0.15", "Qwen/Qwen3-32B")))),
              HasSubstr("'TPU'"));
}

TEST_F(Rows, AFolderOfUnknownRowsAloneSaysWhy) {
  std::ofstream(scratch_ / "trtllm_1.0_offline.csv")
      << offline_header << "TensorRT-LLM 1.0,TPU,FP8,Llama 3.1 8B,1,128,128,3000,output tokens/s,1000\n";
  try {
    all_servers(scratch_ / ".");
    FAIL() << "not refused";
  } catch (const UserError& error) {
    EXPECT_THAT(error.what(), HasSubstr("- trtllm_1.0_offline.csv, line 2: no bundled GPU is known for 'TPU'"));
  }
}

// Of a run under two names the row with more figures counts; another with the same TPOT and another TTFT is another.
TEST_F(Rows, ARunCountsOnce) {
  const auto row = [](const char* id, const char* ttft_ms) {
    return std::string(id) + ",h100_sxm,Qwen/Qwen3-32B,trtllm,1.0.0,fp8,,,agg,1024,128,8,8,2," + ttft_ms +
           ",5,2026-01-01\n";
  };
  std::ofstream(scratch_ / "aic_silicon_agg_hopper.csv")
      << "id,system,model_path,backend,backend_version,precision,gemm_quant_mode,moe_quant_mode,mode,isl,osl,"
         "concurrency,batch_size,tp_size,silicon_ttft_ms,silicon_tpot_ms,measured\n"
      << row("a", "60") << row("b", "60.001") << row("c", "61");
  const ReadServers read = all_servers(scratch_ / ".");
  ASSERT_EQ(read.servers.size(), 2u);
  EXPECT_EQ(read.servers[0].name, "a");
  EXPECT_EQ(read.servers[1].name, "c");
  EXPECT_EQ(left_out_text(read.left_out), "- aic_silicon_agg_hopper.csv, line 3: a run that another row has, too\n");
}

TEST(LeftOutText, NamesRowsByReason) {
  const std::vector<ExcludedRow> rows{
      {"d/a.csv", 2, "no such GPU"}, {"d/a.csv", 3, "other"}, {"d/a.csv", 7, "no such GPU"}};
  EXPECT_EQ(left_out_text(rows), "- a.csv, lines 2, 7: no such GPU\n- a.csv, line 3: other\n");
}

}  // namespace servecast::left_out_test
