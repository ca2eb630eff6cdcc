// Each kind of file becomes servers that run as its rows say.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "calibrate/servers/comparison.h"
#include "calibrate/servers/measured_server.h"
#include "calibrate/servers/page/picture.h"
#include "calibrate/servers/read/closed_loop/closed_loop_run.h"
#include "sim/input/resolve/load_scenario.h"
#include "sim/plan/runs/child_process.h"
#include "sim/report/files/text_file.h"

namespace servecast::readers_test {

using testing::HasSubstr;
using testing::Not;

class Readers : public testing::Test {
 protected:
  std::string file(const std::string& text) const {
    std::ofstream(scratch_ / "rows.csv") << text;
    return scratch_ / "rows.csv";
  }
  Scenario scenario_of(const MeasuredServer& server) const {
    write_text(scratch_ / "scenario.yaml", server.scenario);
    return load_scenario(scratch_ / "scenario.yaml", {{"pools[0].engine", server.engine}});
  }
  static const MeasuredServer& only(const ReadServers& read) {
    EXPECT_EQ(read.servers.size(), 1u) << (read.left_out.empty() ? "" : read.left_out.front().why);
    return read.servers.front();
  }

  ScratchFolder scratch_;
};

// The first line is a comment. tok/s are of each GPU: 2 x 1,000.
TEST_F(Readers, OverviewRowsAreOfEachGpu) {
  const ReadServers read =
      offline_overview_servers(file("# source, units\nmodel,gpu,layout,precision,isl,osl,requests,out_tok_s_per_gpu\n"
                                    "Llama-3.3-70B,H100,TP2,FP8,1000,1000,,1000\n"));
  const MeasuredServer& server = only(read);
  EXPECT_EQ(server.engine, "trtllm-1.2");
  EXPECT_EQ(server.stages[0].regime, Regime::offline);
  EXPECT_EQ(server.stages[0].measured[0].value, 2000);
  const Scenario scenario = scenario_of(server);
  EXPECT_EQ(scenario.pools[0].spec.tensor_parallel, 2);
  EXPECT_EQ(scenario.pools[0].spec.weights, "fp8");
  EXPECT_EQ(scenario.pools[0].spec.kv_cache_dtype, "fp8");
}

TEST_F(Readers, OverviewRowsOfOtherLayoutsAreNamed) {
  const ReadServers read =
      offline_overview_servers(file("model,gpu,layout,precision,isl,osl,requests,out_tok_s_per_gpu\nLlama-3.3-70B,"
                                    "H100,DEP2PP2,FP8,1000,1000,,1\n"));
  ASSERT_EQ(read.left_out.size(), 1u);
  EXPECT_THAT(read.left_out[0].why, HasSubstr("'DEP2PP2'"));
}

constexpr const char* disaggregated_header =
    "id,system,model_path,backend,precision,mode,isl,osl,concurrency,prefill_batch_size,prefill_num_workers,"
    "prefill_tp_size,prefill_pp_size,prefill_attention_dp_size,prefill_moe_tp_size,prefill_moe_ep_size,decode_batch_"
    "size,"
    "decode_num_workers,decode_tp_size,decode_pp_size,decode_attention_dp_size,decode_moe_tp_size,decode_moe_ep_size,"
    "silicon_ttft_ms,silicon_tpot_ms\n";

// One prefill worker of two GPUs, three decode workers of four: 14 GPUs, two nodes.
TEST_F(Readers, DisaggregatedRowsHaveWorkersOfTwoKinds) {
  const ReadServers read = closed_loop_servers(
      file(std::string(disaggregated_header) +
           "a,h100_sxm,Qwen/Qwen3-32B,trtllm,fp8,disagg,1024,512,6,1,1,2,1,1,1,1,2,3,4,1,1,1,1,90,8\n"));
  const MeasuredServer& server = only(read);
  EXPECT_EQ(server.pools, 2);
  EXPECT_EQ(server.stages[0].regime, Regime::disaggregated);
  const Scenario scenario = scenario_of(server);
  ASSERT_EQ(scenario.pools.size(), 2u);
  EXPECT_EQ(scenario.pools[0].spec.replicas, 1);
  EXPECT_EQ(scenario.pools[0].spec.tensor_parallel, 2);
  EXPECT_EQ(scenario.pools[1].spec.replicas, 3);
  EXPECT_EQ(scenario.pools[1].spec.tensor_parallel, 4);
}

// Dynamo's recipe: 8 prompts and 10,240 tokens for each of four ranks.
TEST_F(Readers, PrefillWorkersTakeTheStepsOfTheirRecipe) {
  const ReadServers read = closed_loop_servers(
      file(std::string(disaggregated_header) +
           "a,b200_sxm,deepseek-ai/DeepSeek-V3,trtllm,fp4,disagg,1024,512,6,1,1,1,1,4,1,4,2,1,8,1,1,1,8,90,8\n"));
  EXPECT_THAT(only(read).scenario, HasSubstr("max_batch_size: 32, max_num_tokens: 40960}"));
}

std::int64_t times(const std::string& text, const std::string& part) {
  std::int64_t count = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

// Four ranks for prompts and eight to decode, no more groups than the 8 experts of a token: NCCL and CUTLASS for
// both. Sixteen to decode: NVLink, and no CUTLASS (WIDEEP). Steps of prompts do not overlap, decodes do.
TEST_F(Readers, TrtllmExchangesTokensAsItChooses) {
  const auto scenario = [&](const std::string& decode_ranks) {
    return only(closed_loop_servers(
                    file(std::string(disaggregated_header) +
                         "a,gb200,deepseek-ai/DeepSeek-V3,trtllm,fp4,disagg,1024,512,6,1,1,1,1,4,1,4,2,1,1,1," +
                         decode_ranks + ",1," + decode_ranks + ",90,8\n")))
        .scenario;
  };
  EXPECT_EQ(times(scenario("8"), "kernels: all_gather"), 2);
  EXPECT_EQ(times(scenario("8"), "moe_backend: cutlass"), 2);
  EXPECT_EQ(times(scenario("8"), "overlap_scheduler: false"), 1);
  EXPECT_EQ(times(scenario("16"), "kernels: all_gather"), 1);
  EXPECT_EQ(times(scenario("16"), "kernels: nvlink"), 1);
  EXPECT_EQ(times(scenario("16"), "moe_backend: cutlass"), 1);
}

// Experts in MXFP4 by Marlin, as InferenceMAX's script for Hopper says; its script for Blackwell does not.
TEST_F(Readers, GptOssRunsMarlinOnHopper) {
  const std::string header =
      "id,system,model_path,backend,backend_version,precision,mode,isl,osl,concurrency,tp_size,silicon_ttft_ms,"
      "silicon_tpot_ms,measured\n";
  const auto scenario = [&](const std::string& gpu) {
    return only(closed_loop_servers(file(header + "2026_a," + gpu +
                                         ",openai/gpt-oss-120b,vllm,0.18.0,fp4,agg,1024,1024,4,2,60,5,\n")))
        .scenario;
  };
  EXPECT_THAT(scenario("h200_sxm"), HasSubstr("expert_weights: int4"));
  EXPECT_THAT(scenario("b200_sxm"), HasSubstr("expert_weights: w4a8_mxfp4"));
  EXPECT_THAT(scenario("b200_sxm"), HasSubstr("cuda_graph_max_tokens: 2048"));  // max-cudagraph-capture-size
}

const char* const scripted_header =
    "id,system,model_path,backend,backend_version,precision,gemm_quant_mode,moe_quant_mode,mode,isl,osl,concurrency,"
    "tp_size,silicon_ttft_ms,silicon_tpot_ms,measured\n";

// qwen3.5_*.sh of InferenceMAX: block-scaled experts, and on Blackwell a look for requests after many decodes.
TEST_F(Readers, QwenRunsAsItsScriptsSay) {
  const auto read = [&](const std::string& gpu, const std::string& types) {
    return only(
        closed_loop_servers(file(scripted_header + std::string("2026_a,") + gpu +
                                 ",Qwen/Qwen3.5-397B-A17B,sglang,0.5.9," + types + ",agg,1024,1024,8,4,60,5,\n")));
  };
  const MeasuredServer hopper = read("h200_sxm", "fp8,fp8,fp8_block");
  EXPECT_THAT(hopper.scenario, HasSubstr("weights: fp8_block"));
  EXPECT_THAT(hopper.scenario, HasSubstr("chunked_prefill_size: 16384"));
  EXPECT_THAT(hopper.scenario, Not(HasSubstr("scheduler_recv_interval")));
  EXPECT_THAT(read("b300_sxm", "bf16,,").scenario, HasSubstr("scheduler_recv_interval: 10"));
  EXPECT_THAT(read("b300_sxm", "bf16,,").stages.at(0).system, HasSubstr("b300_sxm_288g (kernels derived)"));
  EXPECT_THAT(read("b300_sxm", "fp4,nvfp4,nvfp4").scenario, HasSubstr("kv_cache_dtype: fp8"));
}

// Pull request 897 of InferenceMAX: on B200 in fp8 they had drafts.
TEST_F(Readers, QwenWithDraftsIsNamed) {
  const ReadServers read = closed_loop_servers(file(
      scripted_header + std::string("2026_a,b200_sxm,Qwen/Qwen3.5-397B-A17B,sglang,0.5.9,fp8,fp8,fp8_block,agg,1024,"
                                    "1024,8,4,60,5,2026-03-20\n")));
  ASSERT_EQ(read.left_out.size(), 1u);
  EXPECT_THAT(read.left_out[0].why, HasSubstr("which the row does not mark"));
}

// Processes of before the benchmark had warm-ups; only SGLang's are known to wait. A P99 of more than 30 s compiled.
TEST_F(Readers, ProcessesOf2025UseKernelsForTheFirstTime) {
  EXPECT_EQ(first_use_of("sglang", 0.6), "loaded");
  EXPECT_EQ(first_use_of("sglang", 71.4), "compiled");
  EXPECT_EQ(first_use_of("sglang", {}), "compiled");
  EXPECT_EQ(first_use_of("vllm", 71.4), "");
  const auto scenario = [&](const std::string& day) {
    return only(
               closed_loop_servers(file(scripted_header +
                                        std::string("a_cfg99,b200_sxm,deepseek-ai/DeepSeek-R1,sglang,0.5.6,fp4,nvfp4,"
                                                    "nvfp4,agg,1024,1024,8,8,60,5,") +
                                        day + "\n")))
        .scenario;
  };
  EXPECT_THAT(scenario("2025-11-02"), HasSubstr("first_use: compiled"));
  EXPECT_THAT(scenario("2026-03-25"), Not(HasSubstr("first_use")));
}

// minimaxm2.5_*_b200.sh since vLLM 0.19.
TEST_F(Readers, MiniMaxStepsAreOfTwoPromptsOnBlackwell) {
  const auto scenario = [&](const std::string& version) {
    return only(closed_loop_servers(file(scripted_header +
                                         std::string("2026_a,b200_sxm,MiniMaxAI/MiniMax-M2.5,vllm,") + version +
                                         ",fp8,fp8,fp8,agg,1024,1024,8,4,60,5,\n")))
        .scenario;
  };
  EXPECT_THAT(scenario("0.19.0"), HasSubstr("max_num_batched_tokens: 2048"));
  EXPECT_THAT(scenario("0.19.0"), HasSubstr("cuda_graph_max_tokens: 2048"));
  EXPECT_THAT(scenario("0.19.0"), HasSubstr("kv_cache_dtype: fp8"));
  EXPECT_THAT(scenario("0.17.0"), HasSubstr("max_num_batched_tokens: 8192"));
  EXPECT_THAT(scenario("0.17.0"), Not(HasSubstr("kv_cache_dtype")));
}

// server_args.py: fewer than four GPUs of 60 to 160 GB.
TEST_F(Readers, SglangCapturesSmallerGraphsOnFewGpus) {
  const auto scenario = [&](const std::string& gpus) {
    return only(closed_loop_servers(
                    file(scripted_header +
                         std::string("2026_a,h200_sxm,Qwen/Qwen3-32B,sglang,0.5.6,bf16,,,agg,1024,128,8,") + gpus +
                         ",60,5,\n")))
        .scenario;
  };
  EXPECT_THAT(scenario("2"), HasSubstr("cuda_graph_max_tokens: 256"));
  EXPECT_THAT(scenario("4"), HasSubstr("cuda_graph_max_tokens: 512"));
}

class GeneratedRows : public Readers {
 protected:
  MeasuredServer read(const std::string& id_to_precision, const std::string& clients_and_batch) const {
    return only(closed_loop_servers(
        file("id,system,model_path,backend,backend_version,precision,gemm_quant_mode,moe_quant_mode,mode,isl,osl,"
             "concurrency,batch_size,tp_size,silicon_ttft_ms,silicon_tpot_ms,measured\n" +
             id_to_precision + ",,,agg,1024,128," + clients_and_batch + ",2,60,5,\n")));
  }
};

// 192 clients of workers that run 48 sequences each: one of four workers.
TEST_F(GeneratedRows, WorkersShareTheClients) {
  const std::string scenario = read("a,h100_sxm,Qwen/Qwen3-32B,trtllm,1.2.0,fp8", "192,48").scenario;
  EXPECT_THAT(scenario, HasSubstr("requests: 480\n    arrivals: {closed_loop: {clients: 48}}"));
  EXPECT_THAT(scenario, HasSubstr("kv_cache_dtype: fp8"));
  EXPECT_THAT(scenario, HasSubstr("max_batch_size: 48, max_num_tokens: 2572}"));  // 48 + 1,024 + 1,500
}

TEST_F(GeneratedRows, StepsOfTheFirstReleaseHoldOnePrompt) {
  const std::string scenario = read("a,h100_sxm,Qwen/Qwen3-32B,trtllm,1.0.0rc3,fp8", "48,48").scenario;
  EXPECT_THAT(scenario, HasSubstr("max_batch_size: 48, max_num_tokens: 1072}"));
}

TEST_F(GeneratedRows, OneReleaseDecodesWithoutGraphs) {
  const auto scenario = [&](const std::string& version) {
    return read("a,h100_sxm,openai/gpt-oss-120b,trtllm," + version + ",fp8", "8,8").scenario;
  };
  EXPECT_THAT(scenario("1.3.0rc1"), HasSubstr("latency: {cuda_graph_max_tokens: 0}"));
  EXPECT_THAT(scenario("1.3.0rc5"), Not(HasSubstr("latency:")));
}

// bench_run.sh.j2 asks 50 times a client for 100 prompts.
TEST_F(GeneratedRows, VllmIsAskedForAHundredPromptsAgainAndAgain) {
  const MeasuredServer server = read("a,h200_sxm,Qwen/Qwen3-32B,vllm,0.12.0,bf16", "8,8");
  EXPECT_THAT(server.scenario, HasSubstr("shared_prefix: {groups: 1, prompts_per_group: 100}"));
  EXPECT_THAT(server.scenario, HasSubstr("kv_cache: {policy: paged_prefix}"));
  EXPECT_THAT(server.scenario, HasSubstr("requests: 400\n"));
}

TEST_F(GeneratedRows, SglangMixesDecodesWithPromptsSinceItsTemplateOf056) {
  const auto scenario = [&](const std::string& version) {
    return read("a,h100_sxm,Qwen/Qwen3-32B,sglang," + version + ",bf16", "8,8").scenario;
  };
  EXPECT_THAT(scenario("0.5.1.post1"), HasSubstr("enable_mixed_chunk: false"));
  EXPECT_THAT(scenario("0.5.6.post2"), HasSubstr("enable_mixed_chunk: true"));
  EXPECT_THAT(scenario("0.5.6.post2"), Not(HasSubstr("gpu_memory_utilization")));
  EXPECT_THAT(scenario("0.5.10"), HasSubstr("gpu_memory_utilization: 0.8"));
}

// srt-slurm's recipes: SGLang's own scheduler on both sides, TensorRT-LLM's kernels in fp8.
TEST_F(Readers, SglangWorkersRunAsTheirRecipesSay) {
  const MeasuredServer server = only(closed_loop_servers(
      file(std::string(disaggregated_header) +
           "a,gb300,deepseek-ai/DeepSeek-V3,sglang,fp8,disagg,1024,512,6,1,1,4,1,1,4,1,2,1,4,1,1,4,1,90,8\n")));
  EXPECT_EQ(times(server.scenario, "policy: sglang, chunked_prefill_size: 8192"), 2);
  EXPECT_EQ(times(server.scenario, "proxy_s: 0.2"), 1);
  const Scenario scenario = scenario_of(server);
  EXPECT_THAT(scenario.pools.at(0).notes, testing::Contains(HasSubstr("gb200_186g.trtllm scaled to its data sheet")));
}

TEST_F(Readers, DisaggregatedRowsWithoutWorkersAreNamed) {
  const ReadServers read = closed_loop_servers(
      file(std::string(disaggregated_header) +
           "a,h100_sxm,Qwen/Qwen3-32B,trtllm,fp8,disagg,1024,512,6,,,2,1,1,1,1,,,4,1,1,1,1,90,8\n"));
  ASSERT_EQ(read.left_out.size(), 1u);
  EXPECT_THAT(read.left_out[0].why, HasSubstr("how many prefill and decode workers"));
}

TEST_F(Readers, LadderIsOneServerOfSeventeenStages) {
  const ReadServers read = router_ladder_servers(
      file("setup,gpu,gpus,engine,model,servers,tp,arm,rate_rps,output_tok_s,ttft_mean_s,ttft_p50_s,ttft_p90_s,note\n"
           "shared_prefix_7200_1000,H100-80GB,16,vLLM,Qwen3-32B,8,2,round_robin,3,1889,,,,\n"
           "shared_prefix_7200_1000,H100-80GB,16,vLLM,Qwen3-32B,8,2,round_robin,60,6764,,88.1,154.1,\n"));
  const MeasuredServer& server = only(read);
  ASSERT_EQ(server.stages.size(), 2u);
  EXPECT_EQ(server.stages[0].request_class, "stage 2");  // behind the warm-up
  EXPECT_EQ(server.stages[1].request_class, "stage 17");
  EXPECT_EQ(server.stages[1].measured.size(), 2u);
  const Scenario scenario = scenario_of(server);
  EXPECT_EQ(scenario.pools[0].spec.replicas, 8);
}

// The page has all eight ports of a node together: 200 GB/s. Another GPU's rows are named, not run on a bundled one.
TEST_F(Readers, TransfersAreOfTwoNodesWithTheirPorts) {
  const ReadServers read =
      kv_transfer_servers(file("prompt_tokens,ttft_ms,kv_bytes_label,transfer_ms,bandwidth_GB_s,setup\n"
                               "128,129.21,49MB,2.07,23.79,\"H20-3e 2x8, Qwen3-235B-A22B bf16 TP8 1P1D, SGLang\"\n"
                               "1024,67.29,146MB,1.50,95.23,\"H800 2x8, Qwen3-8B TP8 1P1D, vLLM 0.11.2.dev358\"\n"));
  ASSERT_EQ(read.left_out.size(), 1u);
  EXPECT_THAT(read.left_out[0].why, HasSubstr("no H20 is bundled"));
  const MeasuredServer& server = only(read);
  EXPECT_EQ(server.stages[0].regime, Regime::kv_transfers);
  EXPECT_EQ(server.stages[0].measured[0].value, 1.5e-3);
  const Scenario scenario = scenario_of(server);
  EXPECT_EQ(scenario.pools.size(), 2u);
  EXPECT_EQ(scenario.pools[1].spec.tensor_parallel, 8);
  EXPECT_THAT(server.scenario, HasSubstr("nic_bytes_per_s: 25000000000"));
}

// 61.03 GiB in 130 - 43.41 s. The restore's note says how long waking took.
TEST_F(Readers, AColdStartIsForecastFromTheFirstRequestAndAWakingFromTheReserve) {
  const std::string start = "GKE a3-highgpu-1g 1xH100,Qwen3-32B bf16 61.03 GiB,vLLM 0.26.0,";
  const ReadServers read = cold_start_servers(
      file("testbed,model,engine,phase,seconds,note\n" + start + "image pull (streaming),1.8,\n" + start +
           "python+CUDA imports,73,\n" + start + "model load total (download+VRAM),130,\n" + start +
           "of which safetensors into VRAM,43.41,\n" + start + "\"engine init: profile, KV\",73,\n" + start +
           "\"scheduled to ready, cold\",277.8,\n" + start + "restore: process to ready,4.0,incl. wake_up 2.67 s\n"));
  ASSERT_EQ(read.servers.size(), 2u);
  const MeasuredStage& cold = read.servers[0].stages[0];
  EXPECT_EQ(cold.regime, Regime::cold_start);
  EXPECT_EQ(cold.measured[0].figure, ServerFigure::start);
  EXPECT_EQ(cold.measured[0].value, 277.8);
  EXPECT_EQ(cold.measured[1].value, 74.8);
  EXPECT_THAT(read.servers[0].scenario, HasSubstr("storage_bytes_per_s: 756790201"));
  EXPECT_EQ(scenario_of(read.servers[0]).pools[0].spec.scaling->min_replicas, 0);
  EXPECT_EQ(read.servers[1].stages[0].measured[0].value, 2.67);
  EXPECT_EQ(scenario_of(read.servers[1]).pools[0].spec.scaling->warm_replicas, 1);
  ASSERT_EQ(read.left_out.size(), 1u);
  EXPECT_EQ(read.left_out[0].line, 8u);
}

TEST_F(Readers, AWakingWithoutSecondsIsRefusedWhereItStands) {
  const std::string start = "GKE a3-highgpu-1g 1xH100,Qwen3-32B bf16 61.03 GiB,vLLM 0.26.0,";
  const std::string text = "testbed,model,engine,phase,seconds,note\n" + start + "image pull (streaming),1.8,\n" +
                           start + "python+CUDA imports,73,\n" + start + "model load total (download+VRAM),130,\n" +
                           start + "of which safetensors into VRAM,43.41,\n" + start +
                           "\"engine init: profile, KV\",73,\n" + start + "\"scheduled to ready, cold\",277.8,\n" +
                           start + "restore: process to ready,4.0,incl. wake_up soon\n";
  EXPECT_THAT([&] { cold_start_servers(file(text)); },
              testing::ThrowsMessage<UserError>(HasSubstr("'note' says no seconds after 'wake_up '")));
}

TEST(Picture, HasAPointForEachRowOfTheFigure) {
  const std::vector<ComparedFigure> rows{{.figure = ServerFigure::tpot_mean, .measured = 0.01, .forecast = 0.011},
                                         {.figure = ServerFigure::tpot_mean, .measured = 0.02},
                                         {.figure = ServerFigure::ttft_mean, .measured = 1, .forecast = 1}};
  const std::string svg = accuracy_picture(ServerFigure::tpot_mean, rows);
  EXPECT_THAT(svg, HasSubstr("r=\"2.5\""));
  EXPECT_EQ(svg.find("r=\"2.5\""), svg.rfind("r=\"2.5\""));
  EXPECT_EQ(accuracy_picture(ServerFigure::e2e_mean, rows), "");
}

}  // namespace servecast::readers_test
