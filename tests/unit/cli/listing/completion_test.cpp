#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <memory>

#include "tests/unit/cli/servecast.h"

namespace servecast::completion_test {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsSupersetOf;

/// What bash offers after the words typed so far.
std::vector<std::string> offered(const std::string& typed) {
  const TestFolder folder;
  const std::string script = folder.write("completion", servecast_with({"completion", "bash"}).out);
  folder.write("ask", "COMP_LINE='" + typed + "'; COMP_POINT=${#COMP_LINE}\ncompopt() { :; }\nsource " + script +
                          "\n_servecast\nprintf '%s\\n' \"${COMPREPLY[@]}\"\n");
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> pipe(::popen(("bash " + folder / "ask").c_str(), "r"),
                                                             ::pclose);
  std::vector<std::string> words;
  char line[4096];
  while (std::fgets(line, sizeof line, pipe.get())) words.emplace_back(line, std::string(line).size() - 1);
  return words;
}

TEST(Completion, offers_commands) {
  EXPECT_THAT(offered("servecast "),
              ElementsAre("run", "sweep", "whatif", "compare", "plan", "size", "check", "list", "schema", "set",
                          "contract", "claims", "reproduce", "trace", "completion"));
  EXPECT_THAT(offered("servecast c"), ElementsAre("compare", "check", "contract", "claims", "completion"));
  EXPECT_THAT(offered("servecast trace "), ElementsAre("info", "convert", "make", "cache", "experts"));
}

TEST(Completion, offers_options_and_their_values) {
  EXPECT_THAT(offered("servecast run a.yaml --"), IsSupersetOf({"--set", "--out", "--format", "--detail"}));
  EXPECT_THAT(offered("servecast run a.yaml --format "), ElementsAre("text", "json"));
  EXPECT_THAT(offered("servecast schema --format m"), ElementsAre("markdown"));
  EXPECT_THAT(offered("servecast list gp"), ElementsAre("gpus"));
  EXPECT_THAT(offered("servecast completion "), ElementsAre("bash", "zsh", "fish"));
  EXPECT_THAT(offered("servecast trace info x.csv --f"), ElementsAre("--from-s", "--format"));
}

TEST(Completion, offers_settings_and_names) {
  EXPECT_THAT(offered("servecast run a.yaml --set pools[0].router.p"), Contains("pools[0].router.policy=random"));
  EXPECT_THAT(offered("servecast run a.yaml --set pools[0].router.policy=least_l"), ElementsAre("least_loaded"));
  EXPECT_THAT(offered("servecast run a.yaml --set pools[0].gpu=h1"), Contains("h100_sxm_80g"));
  EXPECT_THAT(offered("servecast sweep a.yaml --over pools[0].router.p"), Contains("pools[0].router.policy=random"));
  EXPECT_THAT(offered("servecast run a.yaml --set slo.t"), IsSupersetOf({"slo.ttft_s=", "slo.tpot_s="}));
}

TEST(Completion, every_shell_gets_every_command) {
  for (const std::string shell : {"bash", "zsh", "fish"}) {
    const Outcome outcome = servecast_with({"completion", shell});
    EXPECT_EQ(outcome.status, 0);
    for (const std::string word : {"run", "convert", "markdown", "h100_sxm_80g", "least_loaded", "progress"})
      EXPECT_THAT(outcome.out, HasSubstr(word)) << shell;
    EXPECT_THAT(outcome.out, HasSubstr("written by `servecast completion " + shell));
  }
}

}  // namespace servecast::completion_test
