// `report --servers` on a folder of which one row can be forecast.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/calibrate/calibrate.h"

namespace servecast::report_servers_test {

using testing::HasSubstr;

TEST(ReportServers, ForecastsWhatItCanAndNamesTheRest) {
  const TestFolder folder;
  folder.write("closed_loop_h100.csv",
               "system,model_path,backend,backend_version,precision,mode,isl,osl,concurrency,tp_size,pp_size,"
               "attention_dp_size,moe_ep_size,silicon_ttft_ms,silicon_tpot_ms,id\n"
               "h200_sxm,Qwen/Qwen3-14B,vllm,0.15.1,,agg,64,16,2,1,1,1,1,30,8,known\n"
               "h200_sxm,some/Model-5B,vllm,0.15.1,,agg,64,16,2,1,1,1,1,30,8,unknown model\n"
               "tpu,Qwen/Qwen3-14B,vllm,0.15.1,,agg,64,16,2,1,1,1,1,30,8,unknown GPU\n"
               "h200_sxm,Qwen/Qwen3-14B,sglang,0.3,,agg,64,16,2,1,1,1,1,30,8,unknown engine\n"
               "h200_sxm,Qwen/Qwen3-14B,vllm,0.15.1,fp3,agg,64,16,2,1,1,1,1,30,8,unknown precision\n"
               "a100_sxm,Qwen/Qwen3-14B,vllm,0.15.1,fp8,agg,64,16,2,1,1,1,1,30,8,refused\n");
  const Outcome report = calibrate_with({"report", "--servers", folder / "", "--rows", folder / "rows.csv"});
  EXPECT_EQ(report.status, 0) << report.err;
  EXPECT_THAT(report.out, HasSubstr("| TPOT | 1 (+1 refused) |"));
  EXPECT_THAT(text_of(folder / "rows.csv"), HasSubstr(",known,\"TP1, 64/16, 2 clients\",1,0,TPOT,0.008,"));
  EXPECT_THAT(report.out, HasSubstr("\n## No forecast\n"));
  for (const char* reason :
       {"closed_loop_h100.csv, line 3: no bundled model is known for 'some/Model-5B'",
        "line 4: no bundled GPU is known for 'tpu'", "line 5: no bundled engine is that of 'sglang'",
        "line 6: weights in 'fp3' are not modelled"}) {
    EXPECT_THAT(report.out, HasSubstr(reason));
    EXPECT_THAT(report.err, HasSubstr(reason));
  }
  EXPECT_THAT(report.err, HasSubstr("refused: "));
}

}  // namespace servecast::report_servers_test
