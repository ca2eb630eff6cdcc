#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <utility>

#include "tests/unit/cli/servecast.h"
#include "tests/unit/small_scenario.h"

namespace servecast::plan_test {

using testing::HasSubstr;
using testing::Not;

class PlanEmit : public testing::Test {
 protected:
  std::string emit(const std::string& what, std::vector<std::string> set = {}) const {
    std::vector<std::string> words{"plan", "--emit", what, file_};
    for (const std::string& setting : set) words.insert(words.end(), {"--set", setting});
    const Outcome outcome = servecast_with(words);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return outcome.out;
  }
  TestFolder folder_{};
  std::string file_ = folder_.write("small.yaml", small_scenario);
};

TEST_F(PlanEmit, a_pool_is_a_command_line) {
  const std::string text = emit("vllm");
  EXPECT_THAT(text, HasSubstr("vllm serve meta-llama/Llama-3.1-8B \\\n  --tensor-parallel-size 1 \\\n"));
  for (const char* flag :
       {"--dtype bfloat16", "--gpu-memory-utilization 0.9", "--max-num-batched-tokens 2048", "--max-num-seqs 256",
        "--async-scheduling", "--no-enable-prefix-caching", "--block-size 16"})
    EXPECT_THAT(text, HasSubstr(flag));
  EXPECT_THAT(text, HasSubstr("# - router.policy: least_loaded"));
}

TEST_F(PlanEmit, settings_become_flags) {
  const std::string text = emit(
      "vllm",
      {"pools[0].llm=llama-3.1-70b", "pools[0].tensor_parallel=4", "pools[0].weights=fp8",
       "pools[0].kv_cache_dtype=fp8", "pools[0].kv_cache={policy: paged_prefix, block_tokens: 32}",
       "pools[0].batcher={policy: vllm_v1, max_num_batched_tokens: 8192, max_num_seqs: 64, async_scheduling: false}",
       "pools[0].queue.policy=priority", "pools[0].tokenizer_workers=4", "pools[0].stream_interval=8",
       "pools[0].memory.gpu_memory_utilization=0.85",
       "pools[0].kv_tiers.levels=[{kind: host, capacity_bytes: 34359738368}]"});
  for (const char* flag :
       {"meta-llama/Llama-3.1-70B", "--tensor-parallel-size 4", "--quantization fp8", "--kv-cache-dtype fp8",
        "--enable-prefix-caching", "--block-size 32", "--max-num-batched-tokens 8192", "--max-num-seqs 64",
        "--no-async-scheduling", "--api-server-count 4", "--stream-interval 8", "--scheduling-policy priority",
        "--gpu-memory-utilization 0.85", "--kv-offloading-size 32"})
    EXPECT_THAT(text, HasSubstr(flag));
}

TEST_F(PlanEmit, what_vllm_has_no_words_for_is_said) {
  const std::string text =
      emit("vllm", {"pools[0].queue.policy=shortest_prompt", "pools[0].preemption.mode=swap",
                    "pools[0].power_cap_w=500", "pools[0].tokenizer_workers=0", "pools[0].stream_interval=0",
                    "pools[0].batcher={policy: orca, max_num_seqs: 99}", "pools[0].kv_cache={policy: radix}",
                    "pools[0].migration.policy=llumnix", "pools[0].weights=int4",
                    "pools[0].memory={rule: sglang, gpu_memory_utilization: 0.8}"});
  for (const char* remark : {"# - queue.policy: shortest_prompt", "# - preemption.mode: swap", "--power-limit=500",
                             "# - tokenizer_workers: 0", "# - stream_interval: 0", "# - batcher.policy: orca",
                             "# - kv_cache.policy: radix", "# - migration.policy: llumnix", "# - weights: int4",
                             "# - memory.rule: sglang", "# - memory.gpu_memory_utilization: 0.8"})
    EXPECT_THAT(text, HasSubstr(remark));
  EXPECT_THAT(text, HasSubstr("--max-num-seqs 99"));
}

TEST_F(PlanEmit, pools_that_hand_over_name_a_connector) {
  folder_.write("pd.yaml", small_scenario +
                               "    placement: {policy: disaggregated, decode_pool: decode}\n"
                               "  - {name: decode, llm: llama-3.1-8b, gpu: h100_sxm_80g}\n");
  const Outcome outcome = servecast_with({"plan", "--emit", "vllm", folder_ / "pd.yaml"});
  const std::string connector = R"(--kv-transfer-config '{"kv_connector":"NixlConnector","kv_role":"kv_both"}')";
  const std::size_t first = outcome.out.find(connector);
  ASSERT_NE(first, std::string::npos) << outcome.out << outcome.err;
  EXPECT_NE(outcome.out.find(connector, first + 1), std::string::npos);
  EXPECT_THAT(outcome.out, HasSubstr("then to pool decode"));
  EXPECT_THAT(emit("vllm"), Not(HasSubstr("kv-transfer-config")));
}

TEST_F(PlanEmit, a_manifest_has_a_deployment_and_a_service_per_pool) {
  const std::string text = emit("kubernetes", {"pools[0].tensor_parallel=2", "pools[0].name=My_Chat"});
  for (const char* part :
       {"kind: Deployment", "kind: Service", "name: servecast-my-chat", "replicas: 2", "nvidia.com/gpu: 2",
        "image: \"vllm/vllm-openai:v0.15.0\"", "- \"--tensor-parallel-size\""})
    EXPECT_THAT(text, HasSubstr(part));
}

TEST_F(PlanEmit, a_study_becomes_a_job_array) {
  const std::string study = SERVECAST_SOURCE_DIR "/scenarios/studies/chat_8b.yaml";
  const Outcome array = servecast_with({"plan", study, "--emit", "slurm", "--shards", "5", "--out", "/shared/plan"});
  EXPECT_EQ(array.status, 0) << array.err;
  for (const std::string part :
       {"#SBATCH --array=1-5", "--shard \"$SLURM_ARRAY_TASK_ID/5\"",
        "--out /shared/plan/shard-\"$SLURM_ARRAY_TASK_ID\"", "plan merge /shared/plan/shard-*"})
    EXPECT_THAT(array.out, HasSubstr(part));
  EXPECT_THAT(array.out, HasSubstr("servecast plan " + study + " --shard"));
  EXPECT_THAT(servecast_with({"plan", study, "--emit", "slurm"}).err, HasSubstr("say which with --out DIR"));
  EXPECT_THAT(servecast_with({"plan", study, "--shard", "1/2"}).err, HasSubstr("say which with --out DIR"));
  EXPECT_THAT(servecast_with({"plan", study, "--shard", "3/2", "--out", folder_ / "x"}).err, HasSubstr("write k/n"));
  EXPECT_THAT(servecast_with({"plan", file_, "--emit", "slurm", "--out", folder_ / "x"}).err,
              HasSubstr("unknown key 'workload'"));
}

TEST_F(PlanEmit, ignores_no_option) {
  const std::string study = SERVECAST_SOURCE_DIR "/scenarios/studies/chat_8b.yaml";
  const std::vector<std::pair<std::vector<std::string>, std::string>> refused{
      {{file_, "--emit", "vllm", "--out", folder_ / "x"}, "--out changes nothing beside --emit vllm"},
      {{file_, "--emit", "kubernetes", "--format", "json"}, "--format changes nothing beside --emit kubernetes"},
      {{study, "--emit", "slurm", "--out", folder_ / "x", "--jobs", "2"},
       "--jobs changes nothing beside --emit slurm"},
      {{study, "--bounds-only", "--out", folder_ / "x"}, "--out changes nothing beside --bounds-only"},
      {{study, "--shard", "1/2", "--out", folder_ / "x", "--format", "json"},
       "--format changes nothing beside --shard"},
      {{study, "--shards", "3"}, "--shards goes with --emit slurm"}};
  for (const auto& [words, message] : refused) {
    std::vector<std::string> all{"plan"};
    all.insert(all.end(), words.begin(), words.end());
    const Outcome outcome = servecast_with(all);
    EXPECT_EQ(outcome.status, 2);
    EXPECT_THAT(outcome.err, HasSubstr(message));
    EXPECT_EQ(outcome.out, "");
    EXPECT_FALSE(std::filesystem::exists(folder_ / "x"));
  }
}

TEST_F(PlanEmit, says_what_it_wants) {
  EXPECT_THAT(servecast_with({"plan"}).err, HasSubstr("say what to do"));
  EXPECT_EQ(servecast_with({"plan", "--emit", "sglang", file_}).status, 2);
  const Outcome merge = servecast_with({"plan", "merge", folder_ / "nowhere", "--out", folder_ / "x"});
  EXPECT_EQ(merge.status, 2);
  EXPECT_THAT(merge.err, HasSubstr("has no plan.sqlite"));
  EXPECT_THAT(servecast_with({"plan", "merge", folder_ / "a"}).err, HasSubstr("--out"));
  EXPECT_THAT(servecast_with({"plan", "merge", folder_ / ".", "--out", folder_ / ""}).err,
              HasSubstr("is the folder of --out itself"));
}

}  // namespace servecast::plan_test
