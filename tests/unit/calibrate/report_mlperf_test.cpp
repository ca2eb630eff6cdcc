// `report --servers` on made-up submissions to MLPerf.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/calibrate/calibrate.h"

namespace servecast::report_mlperf_test {

using testing::HasSubstr;

constexpr const char* columns =
    "version,division,submitter,system,benchmark,scenario,run,accelerator,accelerators_per_node,total_accelerators,"
    "nodes,software,weight_dtype,availability,valid,tokens_s,tokens_s_inferred,samples_s,scheduled_samples_s,"
    "target_qps,ttft_limit_ms,tpot_limit_ms,latency_mean_s,latency_p50_s,latency_p99_s,ttft_mean_ms,ttft_p50_ms,"
    "ttft_p90_ms,ttft_p99_ms,tpot_mean_ms,tpot_p50_ms,tpot_p99_ms,min_duration_s,samples,published,published_units,"
    "inferred,server_args\n";

/// What a submission of one H200 says that is not the same in all of these tests.
struct Submission {
  std::string submitter = "Acme";
  std::string benchmark = "llama2-70b-99.9";
  std::string scenario = "Interactive";
  std::string accelerator = "NVIDIA H200-SXM-141GB";
  std::string software = "\"TensorRT 10.8, CUDA 12.9\"";
  std::string division = "closed";
  std::string valid = "VALID";
  std::string tokens_s = "2344";
  std::string target_qps = "8";
};

std::string row(const Submission& s) {
  return "v5.1," + s.division + "," + s.submitter + ",box," + s.benchmark + "," + s.scenario + ",performance/run_1," +
         s.accelerator + ",1,,1," + s.software + ",fp8,available," + s.valid + "," + s.tokens_s + ",,8,8," +
         s.target_qps + ",450.0,40.0,9.5,8,30,90,80,150,250,32,32,35,60.0,64.0,1,Tokens/s,0,\n";
}

std::size_t occurrences(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

std::string rows_of(const TestFolder& folder, const std::string& submissions) {
  folder.write("mlperf_v5.1_llm.csv", columns + submissions);
  const Outcome report = calibrate_with({"report", "--servers", folder / "", "--rows", folder / "rows.csv"});
  EXPECT_EQ(report.status, 0) << report.err;
  return text_of(folder / "rows.csv") + report.out;
}

/// The forecast of the first row that holds `part`, behind the measured figure.
double forecast_in(const std::string& rows, const std::string& part) {
  const std::size_t at = rows.find(part);
  if (at == std::string::npos) return 0;
  const std::size_t measured = rows.find(',', at + part.size());
  return std::stod(rows.substr(rows.find(',', measured + 1) + 1));
}

TEST(ReportMlperf, ComparesTheHighestValidRateOfASetup) {
  const TestFolder folder;
  const std::string rows = rows_of(folder, row({.target_qps = "8"}) + row({.submitter = "Bolt", .target_qps = "9"}) +
                                               row({.submitter = "Coil", .target_qps = "8"}));
  EXPECT_EQ(occurrences(rows, ",TPOT P99,"), 3);
  EXPECT_EQ(occurrences(rows, ",highest valid rate,"), 1);
  const double highest = forecast_in(rows, "\"Bolt box, llama2-70b-99.9\",1,0,highest valid rate");
  EXPECT_GT(highest, 9);
  EXPECT_LT(highest, 18);
  EXPECT_EQ(forecast_in(rows, "\"Acme box, llama2-70b-99.9\",1,0,TPOT"),
            forecast_in(rows, "\"Coil box, llama2-70b-99.9\",1,0,TPOT"));
}

TEST(ReportMlperf, TakesASetupPerScenario) {
  const TestFolder folder;
  const std::string rows =
      rows_of(folder, row({.scenario = "Offline", .accelerator = "Virtualized NVIDIA H200-SXM-141GB"}) +
                          row({.submitter = "RedHat",
                               .benchmark = "llama3.1-8b",
                               .scenario = "Server",
                               .accelerator = "NVIDIA H100-SXM-80GB",
                               .software = "\"vLLM 0.10.0, RHEL 9.6\"",
                               .tokens_s = "1024"}));
  EXPECT_THAT(rows, HasSubstr("llama-2-70b fp8, h200_sxm_141g, trtllm-0.15, Offline of 1536 tokens a step"));
  EXPECT_THAT(rows, HasSubstr("llama-3.1-8b fp8, h100_sxm_80g, vllm-0.12, Server of 1024 tokens a step"));
  EXPECT_GT(forecast_in(rows, "\"Acme box, llama2-70b-99.9\",1,0,output tokens/s"), 0);
}

TEST(ReportMlperf, NamesWhatItLeavesOut) {
  const TestFolder folder;
  const std::string rows =
      rows_of(folder, row({}) + row({.benchmark = "llama2-70b-99"}) + row({.accelerator = "NVIDIA B200-NVL-180GB"}) +
                          row({.valid = "INVALID"}) + row({.division = "open"}) + row({.benchmark = "mixtral-8x7b"}) +
                          row({.tokens_s = "1000"}) + row({.software = "\"vLLM 0.6\""}));
  for (const char* reason :
       {"line 3: a run that is entered for two accuracy targets",
        "line 4: no bundled GPU is known for 'B200-NVL-180GB'", "line 5: the run was not valid",
        "line 6: of the open division", "line 7: what benchmark 'mixtral-8x7b' sends is not known",
        "line 8: answers have 125 tokens in the mean, those of llama2-70b have 293",
        "line 9: how Interactive of Acme served llama2-70b on h200_sxm_141g with 'vLLM 0.6'"})
    EXPECT_THAT(rows, HasSubstr(reason));
  EXPECT_EQ(occurrences(rows, ",TPOT,"), 1);
}

}  // namespace servecast::report_mlperf_test
