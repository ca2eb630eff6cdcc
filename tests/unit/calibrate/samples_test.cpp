#include <gtest/gtest.h>

#include "calibrate/samples/samples_csv.h"
#include "tests/unit/cli/servecast.h"
#include "tests/unit/message_of.h"

namespace servecast::samples_test {

Sample product() {
  return {.gpu = "h100_sxm_80g",
          .driver = "550.54",
          .engine = "vllm",
          .version = "0.19.0",
          .kernel = "cublas",
          .op = "gemm",
          .dtype = "bf16",
          .kv_dtype = "",
          .mode = "",
          .shape = {.m = 8, .n = 4096, .k = 1024},
          .count = 20,
          .median_s = 1.25e-5,
          .noise_fraction = 0.01,
          .clock_mhz = 1980};
}

std::string message_of_reading(const std::string& file) {
  return message_of([&] { read_samples(file); });
}

TEST(SamplesCsv, ReadsWhatItWrote) {
  const TestFolder folder;
  for (const char* name : {"samples.csv", "samples.csv.gz"}) {
    SampleWriter writer(folder / name);
    writer.write(product());
    writer.close();
    const std::vector<Sample> back = read_samples(folder / name);
    ASSERT_EQ(back.size(), 1u);
    EXPECT_EQ(back[0].shape, product().shape);
    EXPECT_EQ(back[0].kernel, "cublas");
    EXPECT_EQ(back[0].count, 20);
    EXPECT_EQ(back[0].median_s, 1.25e-5);
    EXPECT_EQ(back[0].clock_mhz, 1980);
  }
}

TEST(SamplesCsv, ColumnsMayBeLeftOutAndInAnyOrder) {
  const TestFolder folder;
  const auto rows = read_samples(folder.write("s.csv", "median_s,operator,gpu,engine,bytes\n2e-6,p2p,g,e,4096\n"));
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].shape.bytes, 4096);
  EXPECT_EQ(rows[0].shape.ranks, 0);
}

TEST(SamplesCsv, MistakesHaveTheirPlace) {
  const TestFolder folder;
  const std::string head = "gpu,engine,operator,m,median_s\n";
  EXPECT_NE(message_of_reading(folder.write("a.csv", head + "g,e,gem,1,1\n"))
                .find("a.csv:2:5: unknown operator 'gem'; did you "
                      "mean 'gemm'?"),
            std::string::npos);
  EXPECT_NE(
      message_of_reading(folder.write("b.csv", head + "g,e,gemm,x,1\n")).find("b.csv:2:10: 'x' is no whole number"),
      std::string::npos);
  EXPECT_NE(
      message_of_reading(folder.write("c.csv", head + "g,e,gemm,1,0\n")).find("c.csv:2:12: median_s must be above 0"),
      std::string::npos);
  EXPECT_NE(
      message_of_reading(folder.write("d.csv", "gpu,engine,operator,m\n")).find("there is no column 'median_s'"),
      std::string::npos);
  EXPECT_NE(message_of_reading(folder.write("e.csv", "")).find("is empty"), std::string::npos);
}

}  // namespace servecast::samples_test
