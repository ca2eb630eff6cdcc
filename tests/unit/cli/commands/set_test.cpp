#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/cli/servecast.h"
#include "tests/unit/small_scenario.h"

namespace servecast::set_test {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(Set, changes_the_file_and_keeps_its_comments) {
  const TestFolder folder;
  const std::string file = folder.write("s.yaml", small_scenario);
  const Outcome outcome = servecast_with({"set", file, "seed=7", "pools[0].llm=mistral-7b", "slo.e2e_s=9"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "");
  const std::string text = text_of(file);
  EXPECT_THAT(text, HasSubstr("name: small  # a title\nseed: 7\n"));
  EXPECT_THAT(text, HasSubstr("    llm: mistral-7b  # small\n"));
  EXPECT_THAT(text, HasSubstr("slo: {ttft_s: 1.0, tpot_s: 0.05, e2e_s: 9}\n"));
  EXPECT_THAT(folder.names(), ElementsAre("s.yaml"));
}

TEST(Set, dry_run_only_prints) {
  const TestFolder folder;
  const std::string file = folder.write("s.yaml", small_scenario);
  const Outcome outcome = servecast_with({"set", file, "seed=7", "--dry-run"});
  EXPECT_THAT(outcome.out, HasSubstr("\nseed: 7\n"));
  EXPECT_EQ(text_of(file), small_scenario);
}

struct Refused {
  std::string name;
  std::string setting;
  std::string message;
};

class SetRefuses : public testing::TestWithParam<Refused> {};

TEST_P(SetRefuses, and_leaves_the_file_alone) {
  const TestFolder folder;
  const std::string file = folder.write("s.yaml", small_scenario);
  const Outcome outcome = servecast_with({"set", file, "seed=7", GetParam().setting});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_EQ(outcome.out, "");
  EXPECT_THAT(outcome.err, HasSubstr(GetParam().message));
  EXPECT_EQ(text_of(file), small_scenario);
  EXPECT_THAT(folder.names(), ElementsAre("s.yaml"));
}

INSTANTIATE_TEST_SUITE_P(
    settings, SetRefuses,
    testing::Values(Refused{"no_value", "seed", "'seed' sets nothing; write path=value"},
                    Refused{"unknown_key", "sede=7", "unknown key 'sede'; did you mean 'seed'?"},
                    Refused{"unknown_key_below", "pools[0].router.polcy=random", "unknown key 'polcy'"},
                    Refused{"no_such_entry", "pools[1].gpu=x", "'pools' has 1 entries, there is no [1]"},
                    Refused{"no_map", "seed.x=1", "what stands above it is no map"},
                    Refused{"wrong_type", "seed=seven", "'seed' must be a whole number, not 'seven'"},
                    Refused{"out_of_range", "pools[0].replicas=0", "'replicas' must be at least 1"},
                    Refused{"unknown_name", "pools[0].gpu=h101", "unknown gpu 'h101'"},
                    Refused{"does_not_fit", "pools[0].llm=llama-3.1-405b", "does not fit"},
                    Refused{"no_yaml", "name=[", "is not valid YAML"},
                    Refused{"no_path", "pools[x].gpu=1", "is no path"}),
    [](const auto& test) { return test.param.name; });

TEST(Set, can_mend_a_broken_file) {
  const TestFolder folder;
  const std::string file =
      folder.write("s.yaml", "seed: -1 # wrong\n" + small_scenario.substr(small_scenario.find("workload")));
  EXPECT_EQ(servecast_with({"set", file, "until_s=5"}).status, 2);
  EXPECT_EQ(servecast_with({"set", file, "seed=1"}).status, 0);
  EXPECT_THAT(text_of(file), testing::StartsWith("seed: 1 # wrong\n"));
}

TEST(Set, changes_a_text_that_is_not_saved) {
  const TestFolder folder;
  const std::string file = folder.write("s.yaml", small_scenario);
  const std::string unsaved = folder.write("unsaved.yaml", "# unsaved\n" + small_scenario);
  const Outcome outcome = servecast_with({"set", file, "seed=7", "--text", unsaved, "--dry-run"});
  EXPECT_THAT(outcome.out, testing::StartsWith("# unsaved\n"));
  EXPECT_THAT(outcome.out, HasSubstr("\nseed: 7\n"));
  EXPECT_EQ(text_of(file), small_scenario);
}

}  // namespace servecast::set_test
