// The table of figures on the command line, and its page.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/unit/cli/servecast.h"
#include "tests/unit/small_scenario.h"

namespace servecast::cli_figures_test {

using nlohmann::json;
using testing::HasSubstr;

TEST(Figures, ThePageIsTheTable) {
  std::ostringstream page;
  page << std::ifstream(std::string(SERVECAST_SOURCE_DIR) + "/docs/figures.md").rdbuf();
  const Outcome shown = servecast_with({"schema", "--of", "figures", "--format", "markdown"});
  EXPECT_EQ(page.str(), shown.out) << "run: servecast schema --of figures --format markdown > docs/figures.md";
}

TEST(Figures, AreListedForProgramsAndPeople) {
  const json rows = json::parse(servecast_with({"schema", "--of", "figures", "--format", "json"}).out);
  const auto ttft = std::ranges::find(rows, "ttft_s", [](const json& row) { return row["key"]; });
  ASSERT_NE(ttft, rows.end());
  EXPECT_EQ((*ttft)["unit"], "s");
  EXPECT_EQ((*ttft)["better"], "lower");
  EXPECT_THAT(servecast_with({"schema", "--of", "figures"}).out,
              HasSubstr("pools[].preemptions\n    number; lower is better\n"));
}

TEST(Figures, AnyOfThemCanBeCompared) {
  const TestFolder folder;
  const std::string file = folder.write("small.yaml", small_scenario);
  const Outcome shown = servecast_with({"whatif", file, "--set", "pools[0].replicas=1", "--replicates", "0",
                                        "--figures", "pools[0].replicas,ttft_s.p90", "--format", "json"});
  ASSERT_EQ(shown.status, 0) << shown.err;
  const json figures = json::parse(shown.out)["comparisons"][0]["figures"];
  EXPECT_EQ(figures.size(), 2u);
  EXPECT_EQ(figures["pools[0].replicas"]["difference"], -1);
  EXPECT_TRUE(figures["ttft_s.p90"]["base"].is_number());
}

TEST(Figures, AnUnknownOneIsRefusedBeforeAnythingRuns) {
  const Outcome refused = servecast_with({"compare", "none", "neither", "--figures", "ttft_s.p9"});
  EXPECT_EQ(refused.status, 2);
  EXPECT_THAT(refused.err, HasSubstr("unknown figure 'ttft_s.p9'; did you mean 'ttft_s.p9"));
}

}  // namespace servecast::cli_figures_test
