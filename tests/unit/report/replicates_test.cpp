#include "sim/report/figures/replicates.h"

#include <gtest/gtest.h>

#include "tests/unit/report/files.h"
#include "tests/unit/report/made_up.h"

namespace servecast::replicates_test {

Summary best() { return summarise(made_up::recorder(), made_up::facts()); }

/// The same with throughputs 1, 2 ... 20.
std::vector<Summary> twenty() {
  std::vector<Summary> all(20, best());
  for (std::size_t i = 0; i < all.size(); ++i) all[i].output_tokens_per_s = static_cast<double>(i + 1);
  return all;
}

// Nearest rank: the first of twenty leaves 5 % at or below it, the nineteenth 95 %.
TEST(Replicates, QuantilesOfEveryFigure) {
  const Interval interval = interval_of(best(), twenty());
  EXPECT_EQ(interval.replicates, 20);
  EXPECT_EQ(interval.p05.output_tokens_per_s, 1);
  EXPECT_EQ(interval.p95.output_tokens_per_s, 19);
  EXPECT_EQ(interval.p05.latencies.ttft_s, best().latencies.ttft_s);
  EXPECT_EQ(interval.p05.pools.size(), best().pools.size());
}

TEST(Replicates, AFigureThatSomeLackComesFromTheOthers) {
  std::vector<Summary> some = twenty();
  some[0].latencies.e2e_s.reset();
  EXPECT_EQ(interval_of(best(), some).p05.latencies.e2e_s, best().latencies.e2e_s);
}

TEST(Replicates, FileReadsBack) {
  const Interval interval = interval_of(best(), twenty());
  const TemporaryFolder folder;
  const std::string file = folder / "summary.json";
  put_text(file, to_json(best(), interval));
  const auto read = read_interval(file);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->replicates, 20);
  EXPECT_EQ(read->p95.output_tokens_per_s, 19);
  EXPECT_EQ(read_summary(file).requests, best().requests);
}

TEST(Replicates, AFileWithoutThemHasNone) {
  const TemporaryFolder folder;
  const std::string file = folder / "summary.json";
  put_text(file, to_json(best()));
  EXPECT_FALSE(read_interval(file));
}

}  // namespace servecast::replicates_test
