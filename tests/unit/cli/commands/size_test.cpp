#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/unit/cli/servecast.h"
#include "tests/unit/small_scenario.h"

namespace servecast::size_test {

using testing::HasSubstr;
using testing::MatchesRegex;

const std::vector<std::string> of_a_model{
    "--model", "llama-3.1-8b", "--rate", "5",          "--requests", "100",    "--ttft-p99",
    "1",       "--gpus",       "h100",   "--max-gpus", "2",          "--quick"};

std::vector<std::string> words(std::vector<std::string> first, const std::vector<std::string>& more) {
  first.insert(first.end(), more.begin(), more.end());
  return first;
}

TEST(Size, begins_with_the_sentence_that_a_manager_needs) {
  const Outcome outcome = servecast_with(words({"size"}, of_a_model));
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(
      outcome.out.substr(0, outcome.out.find('\n')),
      MatchesRegex("[0-9]+ H100 SXM 80GB on 1 node.*, \\$[0-9,]+ per month, carries [0-9.]+ requests/s with.*"));
}

TEST(Size, says_what_it_lacks) {
  EXPECT_THAT(servecast_with({"size"}).err, HasSubstr("say what to size"));
  EXPECT_THAT(servecast_with({"size", "--model", "llama-3.1-8b", "--rate", "5"}).err, HasSubstr("--ttft-p99"));
  EXPECT_THAT(servecast_with({"size", "--rate", "5", "--ttft-p99", "1"}).err, HasSubstr("--model"));
  EXPECT_THAT(
      servecast_with(words({"size"}, {"--model", "llama-3.1-8b", "--rate", "5", "--ttft-p99", "1", "--gpus", "h900"}))
          .err,
      HasSubstr("unknown GPU 'h900'"));
}

TEST(PlanNew, writes_a_study_and_never_over_a_file) {
  const TestFolder folder;
  const std::string file = folder / "mine.yaml";
  const Outcome outcome = servecast_with(words({"plan", "--new", file}, of_a_model));
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("wrote " + file));
  EXPECT_EQ(servecast_with({"check", file}).status, 0);
  EXPECT_EQ(servecast_with({"plan", file}).out, outcome.out);
  EXPECT_THAT(servecast_with(words({"plan", "--new", file}, of_a_model)).err, HasSubstr("is a study"));
}

TEST(PlanNew, options_of_a_new_study_go_with_new) {
  const TestFolder folder;
  const std::string study = folder.write("s.yaml", "scenario: x.yaml\nspace: []\n");
  EXPECT_THAT(servecast_with({"plan", study, "--rate", "3"}).err, HasSubstr("go with --new"));
}

}  // namespace servecast::size_test
