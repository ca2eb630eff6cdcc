#include "sim/plan/study/new_study.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "models/base/error.h"
#include "sim/plan/judge/sizer.h"
#include "sim/plan/runs/child_process.h"
#include "sim/plan/study/study.h"

namespace servecast::new_study_test {

using ::testing::HasSubstr;

Study written(const ScratchFolder& folder, const NewStudy& study) {
  const std::string file = folder / "new.yaml";
  std::ofstream(file) << new_study_text(study, file);
  return load_study(file);
}

NewStudy of_llama() {
  return {.model = "llama-3.1-8b",
          .weights = "bf16",
          .rate_per_s = 12,
          .prompt_tokens = 500,
          .output_tokens = 200,
          .requests = 200,
          .ttft_p99_s = 1};
}

/// 200 requests at 2 a second, and 200 at 10.
void write_quickening_trace(const std::string& file) {
  std::ofstream trace(file);
  trace << "arrival_s,prompt_tokens,output_tokens\n";
  for (int i = 0; i < 400; ++i) trace << (i < 200 ? i * 0.5 : 100 + (i - 200) * 0.1) << ",100,10\n";
}

/// At which what is simulated arrives.
double rate_of_first_design(const Study& study) {
  Sizer sizer(study);
  const SizedDesign sized = sizer.size(enumerate(study).front());
  return sizer.workload(sized, sizer.seed(sized, 0)).arrivals_per_s().value();
}

TEST(NewStudy, OfAModelCanBeReadAndSized) {
  const ScratchFolder folder;
  NewStudy asked = of_llama();
  asked.tpot_p99_s = 0.05;
  asked.gpus = {gpu_choice("h100"), gpu_choice("l40s")};
  asked.max_gpus = 8;
  const Study study = written(folder, asked);
  EXPECT_EQ(study.spec.objectives.size(), 2U);
  Sizer sizer(study);
  const std::vector<Design> designs = enumerate(study);
  EXPECT_EQ(designs.size(), 2U * (8 + 4 + 2 + 1));  // replicas x tp of at most eight GPUs, for two kinds
  const SizedDesign first = sizer.size(designs.front());
  EXPECT_EQ(first.kinds, "h100_sxm_80g");
  EXPECT_EQ(sizer.size(designs.back()).kinds, "l40s_48g");
  EXPECT_NEAR(sizer.workload(first, sizer.seed(first, 0)).arrivals_per_s().value(), 12, 2);
}

/// What is simulated arrives at the rate that is asked for: one run of made-up requests, and the first ones of a
/// trace, which come slower here than those behind them.
TEST(NewStudy, HasTheRateThatIsAskedFor) {
  const ScratchFolder folder;
  const std::string trace = folder / "trace.csv";
  write_quickening_trace(trace);
  NewStudy study = of_llama();
  study.gpus = {gpu_choice("h100")};
  study.max_gpus = 1;
  study.one_run = true;
  EXPECT_NEAR(rate_of_first_design(written(folder, study)), 12, 1e-3);
  study.trace = trace;
  EXPECT_NEAR(rate_of_first_design(written(folder, study)), 12, 1e-3);
  study.rate_per_s.reset();  // that of the whole trace
  EXPECT_NEAR(rate_of_first_design(written(folder, study)), 400 / 119.9, 1e-3);
}

/// The first half of the scenario's requests come at 2 a second, the others at 10.
TEST(NewStudy, OfAScenarioIsForTheRateOfAllItsRequests) {
  const ScratchFolder folder;
  write_quickening_trace(folder / "trace.csv");
  std::ofstream(folder / "scenario.yaml") << "workload: {trace: {path: trace.csv}}\n"
                                             "slo: {ttft_s: 1}\ncluster: {node: dgx_h100}\n"
                                             "pools: [{name: chat, llm: llama-3.1-8b, gpu: h100_sxm_80g}]\n";
  const Study study = written(folder, {.scenario = folder / "scenario.yaml", .requests = 200, .max_gpus = 8});
  EXPECT_NEAR(rate_of_first_design(study), 400 / 119.9, 1e-3);
}

TEST(NewStudy, OfAScenarioTakesItsPromise) {
  const ScratchFolder folder;
  const Study study = written(
      folder,
      {.scenario = SERVECAST_SOURCE_DIR "/scenarios/chat.yaml", .requests = 100, .max_gpus = 16, .one_run = true});
  Sizer sizer(study);
  const SizedDesign sized = sizer.size(enumerate(study).back());
  EXPECT_EQ(sized.impossible, "");
  EXPECT_EQ(sized.promises.at(0).words(), "99.0 % within the SLO");
}

TEST(NewStudy, SaysWhatItLacks) {
  const auto error_of = [](const NewStudy& study) {
    try {
      new_study_text(study, "new.yaml");
    } catch (const UserError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_THAT(error_of({.rate_per_s = 1, .gpus = {gpu_choice("h100")}}), HasSubstr("--model"));
  EXPECT_THAT(error_of({.model = "llama-3.1-8b", .gpus = {gpu_choice("h100")}}), HasSubstr("--rate"));
}

TEST(GpuChoice, ShortNamesAreThoseThatNodesAreSoldWith) {
  EXPECT_EQ(gpu_choice("h100").gpu, "h100_sxm_80g");
  EXPECT_EQ(gpu_choice("a100").node, "dgx_a100");
  EXPECT_EQ(gpu_choice("h100_pcie_80g").node, "pcie_server");
  EXPECT_EQ(gpu_choice("h200").gpu, "h200_sxm_141g");
  EXPECT_THROW(gpu_choice("h900"), UserError);
}

}  // namespace servecast::new_study_test
