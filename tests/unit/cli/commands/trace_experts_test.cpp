#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/cli/servecast.h"
#include "tests/unit/input/trace_testing.h"

namespace servecast::trace_experts_test {

using testing::HasSubstr;

TEST(TraceExpertsCommand, RefusesWhatMakesNoSense) {
  const auto message = [](std::vector<std::string> words) {
    words.insert(words.begin(), {"trace", "experts"});
    const Outcome outcome = servecast_with(words);
    EXPECT_EQ(outcome.status, 2);
    EXPECT_EQ(outcome.out, "");
    return outcome.err;
  };
  EXPECT_THAT(message({"nowhere", "--llm", "gpt-oss-20b"}), HasSubstr("there is no folder 'nowhere'"));
  EXPECT_THAT(message({"nowhere", "--llm", "llama-2-7b"}), HasSubstr("'llama-2-7b' has no experts"));
  EXPECT_THAT(message({"nowhere", "--llm", "gpt-oss-20b", "--slots", "0"}), HasSubstr("is no number of slots"));
  EXPECT_THAT(message({"nowhere", "--llm", "gpt-oss-20b", "--policy", "lur"}), HasSubstr("lru"));
  EXPECT_THAT(message({"nowhere", "--llm", "gpt-oss-20b", "--ranks", "5"}), HasSubstr("take numbers that divide"));
}

TEST(TraceExpertsCommand, SaysWhichFileDoesNotFit) {
  const TempFolder folder;
  folder.write_gzip("index.csv.gz", "n_router_tokens\n2\n");
  folder.write_gzip("routing_u8.bin.gz", "short");
  const Outcome outcome = servecast_with({"trace", "experts", folder / "", "--llm", "gpt-oss-20b"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err,
              HasSubstr("holds 5 bytes, and index.csv.gz and the model's shape make 192"));  // 2 x 24 x 4
}

}  // namespace servecast::trace_experts_test
