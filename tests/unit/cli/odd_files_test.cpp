#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/cli/servecast.h"
#include "tests/unit/small_scenario.h"

// Files without an end and circles of symbolic links, given to every command: the user's mistake, told of the name.
namespace servecast::odd_files_test {

using testing::HasSubstr;

class OddFile : public testing::TestWithParam<std::vector<std::string>> {};

TEST_P(OddFile, IsTheUsersMistake) {
  const TestFolder folder;
  const std::string circle = folder / "circle.yaml", other = folder / "other.yaml";
  std::filesystem::create_symlink(other, circle);
  std::filesystem::create_symlink(circle, other);
  const std::string scenario = folder.write("s.yaml", small_scenario);
  for (const std::string& odd : {circle, std::string("/dev/zero")}) {
    std::vector<std::string> words = GetParam();
    for (std::string& word : words) {
      if (const std::size_t at = word.find("ODD"); at != std::string::npos) word.replace(at, 3, odd);
      if (word == "SCENARIO") word = scenario;
    }
    const Outcome outcome = servecast_with(words);
    EXPECT_EQ(outcome.status, 2) << odd << ": " << outcome.err;
    EXPECT_EQ(outcome.out, "");
    EXPECT_THAT(outcome.err, HasSubstr(odd));
    EXPECT_THAT(outcome.err, testing::Not(HasSubstr("internal error")));
  }
}

using Words = std::vector<std::string>;
INSTANTIATE_TEST_SUITE_P(Commands, OddFile,
                         testing::Values(Words{"run", "ODD"}, Words{"check", "ODD"}, Words{"set", "ODD", "seed=1"},
                                         Words{"sweep", "ODD", "--over", "seed=1,2"}, Words{"plan", "ODD"},
                                         Words{"compare", "ODD", "ODD"}, Words{"trace", "info", "ODD"},
                                         Words{"trace", "make", "ODD", "--out", "x.csv"},
                                         Words{"run", "SCENARIO", "--set", "pools[0].gpu=ODD"},
                                         Words{"run", "SCENARIO", "--set", "pools[0].llm=ODD"},
                                         Words{"run", "SCENARIO", "--set", "pools[0].latency.profile=ODD"},
                                         Words{"run", "SCENARIO", "--set", "workload={trace: {path: ODD}}"},
                                         Words{"run", "SCENARIO", "--out", "ODD"}));

TEST(OddSetting, ThatIsNoYamlIsTheUsersMistake) {
  const TestFolder folder;
  const std::string scenario = folder.write("s.yaml", small_scenario);
  EXPECT_EQ(servecast_with({"check", scenario, "--set", "seed=,"}).err,
            "servecast: --set seed=,: this ',' stands outside of [...] and {...}\n");
}

}  // namespace servecast::odd_files_test
