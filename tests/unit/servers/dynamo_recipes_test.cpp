// InferenceMAX's rows of prefill and decode apart: what recipes give their workers, and how often drafts are right.
#include "calibrate/servers/read/closed_loop/dynamo_recipes.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "calibrate/servers/measured_server.h"
#include "calibrate/servers/read/csv_rows.h"
#include "sim/plan/runs/child_process.h"
#include "sim/report/files/text_file.h"

namespace servecast::dynamo_recipes_test {

using testing::HasSubstr;
using testing::Not;

// A piece of 20 tokens every 20 steps, and half a piece at the end.
TEST(Drafts, TokensOfAStepFollowFromTheTimeBetweenPieces) {
  const double output = 921.6;
  const double pieces_of_20 = (output - 1) / 20 + 0.5;
  EXPECT_NEAR(tokens_per_step((output - 1) / pieces_of_20, 1, output), 1, 1e-12);
  const double pieces_of_50 = (output - 1) / 50 + 0.5;
  EXPECT_NEAR(tokens_per_step((output - 1) / pieces_of_50, 1, output), 2.5, 1e-12);
}

// Three drafts of which each is right with 0.6: 1 + 0.6 + 0.36 + 0.216 tokens.
TEST(Drafts, TheirAcceptanceMakesAsManyTokens) {
  EXPECT_NEAR(acceptance_of(2.176, 3), 0.6, 1e-9);
  EXPECT_NEAR(acceptance_of(1.75, 1), 0.75, 1e-9);
  EXPECT_NEAR(acceptance_of(1, 2), 0, 1e-9);
}

TEST(Drafts, OfLongerAnswersAndOtherNumbersNobodyTells) {
  EXPECT_EQ(tokens_per_step_elsewhere(3, 1024, 1024), 2.34);
  EXPECT_EQ(tokens_per_step_elsewhere(1, 8192, 1024), 1.8);
  EXPECT_THROW(tokens_per_step_elsewhere(3, 1024, 8192), NoMatch);
  EXPECT_THROW(tokens_per_step_elsewhere(2, 1024, 1024), NoMatch);
}

class InferenceMax : public testing::Test {
 protected:
  /// What comes of a row of DeepSeek-R1 in fp4 on GB200, prompts of 1,024 tokens.
  ReadServers read(const std::string& drafts, int clients, const std::string& decode, double itl_s) const {
    const std::string row =
        "run_id,hw,model,framework,image,precision,spec_decoding,disagg,isl,osl,conc,prefill_tp,prefill_ep,"
        "prefill_dp_attention,prefill_num_workers,decode_tp,decode_ep,decode_dp_attention,decode_num_workers,"
        "output_tput_per_gpu,mean_ttft,p99_ttft,mean_tpot,mean_itl\n" +
        fmt::format(
            "1,gb200,/mnt/lustre01/models/deepseek-r1-0528-fp4-v2,dynamo-trt,nvcr.io/nvidia/ai-dynamo/"
            "tensorrtllm-runtime:0.5.1-rc0.pre3,"
            "fp4,{},True,1024,1024,{},4,4,false,1,{},28,0.6,4.7,0.004,{}\n",
            drafts, clients, decode, itl_s);
    write_text(scratch_ / "rows.csv", row);
    return inference_max_servers(scratch_ / "rows.csv");
  }

 private:
  ScratchFolder scratch_;
};

// srt-slurm's recipes/trtllm/b200-fp8 and h100-fp8; others are Dynamo's.
TEST(PrefillSteps, AreThoseOfTheGpuAndItsWeights) {
  RecipeWorkers d{.llm = "deepseek-v3", .gpu = "b200", .weights = "fp8_block", .prompt_tokens = 8192};
  EXPECT_EQ(recipe_prefill_step(d)->tokens, 8320);
  EXPECT_TRUE(recipe_prefill_step(d)->sliced_experts);
  d.weights = "nvfp4";
  EXPECT_EQ(recipe_prefill_step(d)->tokens, 16896);
  EXPECT_FALSE(recipe_prefill_step(d)->sliced_experts);
  d = {.llm = "deepseek-v3", .gpu = "h100", .weights = "fp8_block", .prompt_tokens = 1024};
  EXPECT_EQ(recipe_prefill_step(d)->tokens, 2048);
  EXPECT_EQ(recipe_prefill_step(d)->prompts, 2);
}

// nvidia-master.yaml: 128 sequences of each decode worker and 0.9 of what is free, 32 with three drafts.
TEST_F(InferenceMax, DecodeWorkersRunTheBatchOfTheirRecipe) {
  const ReadServers plain = read("none", 564, "8,8,false,4", 0.079);
  ASSERT_EQ(plain.servers.size(), 1u);
  EXPECT_THAT(plain.servers[0].scenario, HasSubstr("max_batch_size: 128"));
  EXPECT_THAT(plain.servers[0].scenario, HasSubstr("gpu_memory_utilization: 0.9"));
  EXPECT_THAT(plain.servers[0].scenario, Not(HasSubstr("speculative")));
  EXPECT_EQ(plain.servers[0].engine, "trtllm-1.0");  // Dynamo 0.5.1 has 1.1.0rc5
}

// performance_sweeps/benchmark_disagg.slurm: not with requests of their own on each rank that decodes.
TEST_F(InferenceMax, LaunchesDependOnEachOtherAsDynamoSays) {
  EXPECT_THAT(read("none", 564, "8,8,false,4", 0.079).servers.at(0).scenario, HasSubstr("dependent_launches: on"));
  EXPECT_THAT(read("none", 564, "8,8,true,1", 0.079).servers.at(0).scenario, Not(HasSubstr("dependent_launches")));
}

// 45.6 tokens a piece: 2.34 a step.
TEST_F(InferenceMax, DraftsAreRightAsOftenAsTheRowSays) {
  const ReadServers drafts = read("mtp", 144, "8,8,false,4", 0.004 * 45.6);
  ASSERT_EQ(drafts.servers.size(), 1u);
  EXPECT_THAT(drafts.servers[0].scenario, HasSubstr("max_batch_size: 32"));
  EXPECT_THAT(
      drafts.servers[0].scenario,
      HasSubstr(fmt::format("{{policy: mtp, num_speculative_tokens: 3, acceptance: {{rate_fraction: {:.4f}}}}}",
                            acceptance_of(tokens_per_step(45.6, 1, 921.6), 3))));
}

TEST_F(InferenceMax, DeploymentsWithoutARecipeAreNamed) {
  const ReadServers unknown = read("none", 4, "8,8,false,7", 0.079);
  ASSERT_EQ(unknown.left_out.size(), 1u);
  EXPECT_THAT(unknown.left_out[0].why, HasSubstr("no recipe of 1 prefill workers and 7 decode workers of 8 GPUs"));
}

}  // namespace servecast::dynamo_recipes_test
