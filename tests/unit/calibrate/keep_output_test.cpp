// A mistake in the input leaves an earlier output as it was.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/calibrate/calibrate.h"

namespace servecast::keep_output_test {

using testing::HasSubstr;

struct KeepOutput : testing::Test {
  const TestFolder folder{};
  const std::string out = folder.write("keep.csv", "old");
};

TEST_F(KeepOutput, OfAnImportWhoseLastTableIsMissing) {
  const std::string good = folder.write("good.csv",
                                        "framework,version,device,op_name,kernel_source,gemm_dtype,m,n,k,latency\n"
                                        "VLLM,0.19.0,NVIDIA,gemm,lib,bfloat16,8,16,32,0.5\n");
  const Outcome bad = calibrate_with({"import", "--gpu", "h100_sxm_80g", "--out", out, good, folder / "none.csv"});
  EXPECT_EQ(bad.status, 2);
  EXPECT_THAT(bad.err, HasSubstr("none.csv: cannot be read"));
  EXPECT_EQ(text_of(out), "old");
  const Outcome done = calibrate_with({"import", "--gpu", "h100_sxm_80g", "--out", out, good});
  EXPECT_EQ(done.out, "1 samples from 1 tables in " + out + "\n") << done.err;
  EXPECT_THAT(text_of(out), HasSubstr("gemm"));
}

TEST_F(KeepOutput, OfResidualsWithoutSamples) {
  const Outcome bad = calibrate_with({"residuals", "h100_sxm_80g.vllm", folder / "none.csv", "--out", out});
  EXPECT_EQ(bad.status, 2);
  EXPECT_THAT(bad.err, HasSubstr("none.csv: cannot be read"));
  EXPECT_EQ(text_of(out), "old");
}

}  // namespace servecast::keep_output_test
