#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tests/unit/cli/servecast.h"

// Every file in tests/data/bad is wrong in one way; its first line says which message that gives.

namespace servecast::bad_input_test {

namespace fs = std::filesystem;
using testing::HasSubstr;

const fs::path folder = fs::path(SERVECAST_SOURCE_DIR) / "tests/data/bad";

std::vector<std::string> bad_files() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.path().extension() == ".yaml") names.push_back(entry.path().stem().string());
  std::ranges::sort(names);
  return names;
}

class BadInput : public testing::TestWithParam<std::string> {
 protected:
  const std::string file_ = (folder / (GetParam() + ".yaml")).string();
  const std::string text_ = text_of(file_);
  const std::string mark_ = "# expect: ";
  const std::string expected_ = text_.substr(mark_.size(), text_.find('\n') - mark_.size());
};

TEST_P(BadInput, gives_its_message_and_nothing_else) {
  ASSERT_TRUE(text_.starts_with(mark_));
  const Outcome outcome = servecast_with({"check", file_});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_EQ(outcome.out, "");
  EXPECT_THAT(outcome.err, HasSubstr(expected_));
  EXPECT_EQ(std::ranges::count(outcome.err, '\n'), 1) << outcome.err;
}

TEST_P(BadInput, has_a_place) {
  const Outcome outcome = servecast_with({"check", file_, "--format", "json"});
  EXPECT_EQ(outcome.status, 2);
  const auto report = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(report["ok"], false);
  ASSERT_EQ(report["problems"].size(), 1u) << outcome.out;
  const auto& problem = report["problems"][0];
  EXPECT_NE(problem["file"], "");
  const bool elsewhere = problem["file"] != file_;  // in a file that the scenario names
  const bool absent = GetParam().starts_with("missing_");
  if (elsewhere || absent) return;
  EXPECT_GT(problem["line"], 0);
  EXPECT_GT(problem["column"], 0);
}

TEST_P(BadInput, does_not_run_and_writes_nothing) {
  const TestFolder out;
  const Outcome outcome = servecast_with({"run", file_, "--out", out / "report"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_EQ(outcome.out, "");
  EXPECT_THAT(out.names(), testing::IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(file, BadInput, testing::ValuesIn(bad_files()), [](const auto& test) { return test.param; });

}  // namespace servecast::bad_input_test
