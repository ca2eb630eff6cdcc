// The table of what cannot be used together, and its page.
#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <sstream>

#include "sim/input/rules/combinations.h"
#include "tests/unit/cli/servecast.h"

namespace servecast::combinations_test {

TEST(Combinations, ThePageIsTheTable) {
  std::ostringstream page;
  page << std::ifstream(std::string(SERVECAST_SOURCE_DIR) + "/docs/combinations.md").rdbuf();
  const Outcome shown = servecast_with({"schema", "--of", "combinations", "--format", "markdown"});
  EXPECT_EQ(page.str(), shown.out)
      << "run: servecast schema --of combinations --format markdown > docs/combinations.md";
}

TEST(Combinations, EveryPairIsSaidOnceWithReasonAndRemedy) {
  std::set<std::set<const Feature*>> pairs;
  for (const Combination& row : refused_combinations()) {
    EXPECT_TRUE(pairs.insert({row.refused, row.with}).second) << row.refused->name << " with " << row.with->name;
    EXPECT_NE(row.refused, row.with);
    EXPECT_NE(std::string(row.reason), "");
    EXPECT_NE(std::string(row.remedy), "");
  }
}

}  // namespace servecast::combinations_test
