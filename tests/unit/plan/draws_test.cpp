#include "sim/plan/judge/draws.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "models/base/binomial.h"
#include "models/base/rng.h"
#include "sim/plan/study/study_spec.h"

namespace servecast::draws_test {

TEST(Binomial, ByHand) {
  // 3 trials at 0.5: at least 2 in (3 + 1) / 8; at most 1 in the other half.
  EXPECT_NEAR(binomial_at_least(2, 3, 0.5), 0.5, 1e-15);
  EXPECT_NEAR(binomial_at_most(1, 3, 0.5), 0.5, 1e-15);
  EXPECT_NEAR(binomial_at_least(10, 10, 0.9), std::pow(0.9, 10), 1e-14);
  EXPECT_NEAR(binomial_at_least(1, 10, 0.1), 1 - std::pow(0.9, 10), 1e-14);
  EXPECT_EQ(binomial_at_least(0, 5, 0.2), 1);
  EXPECT_EQ(binomial_at_most(5, 5, 0.2), 1);
  EXPECT_NEAR(binomial_at_least(400, 1000, 0.4) + binomial_at_most(399, 1000, 0.4), 1, 1e-11);
}

TEST(Draws, LooksAreWhereVerdictsBecomePossible) {
  const PromiseSpec promise{.draws_fraction = 0.95, .error_fraction = 0.05};
  const DrawPlan plan = plan_draws(promise, 10);
  ASSERT_EQ(plan.looks.size(), 6u);
  EXPECT_DOUBLE_EQ(plan.error_per_look, 0.05 / 10 / 6);
  // 0.05^n <= 0.00083 first for n = 3; 0.95^n <= 0.00083 first for n = 139 (ln 0.00083 / ln 0.95 = 138.2).
  EXPECT_EQ(plan.looks, (std::vector<std::int64_t>{3, 15, 139, 278, 556, 1112}));
  EXPECT_EQ(verdict(plan, {3, 3, 0}), DrawVerdict::breaks);
  EXPECT_EQ(verdict(plan, {3, 3, 1}), DrawVerdict::open);
  EXPECT_EQ(verdict(plan, {139, 139, 139}), DrawVerdict::keeps);
  EXPECT_EQ(verdict(plan, {139, 139, 138}), DrawVerdict::open);
  EXPECT_EQ(verdict(plan, {278, 278, 278}), DrawVerdict::keeps);
}

/// What is said before a look is over is what it says when it is over, however the rest comes out.
TEST(Draws, AVerdictBeforeTheEndIsTheOneAtTheEnd) {
  const DrawPlan plan = plan_draws({}, 10);
  Rng rng(5, "early");
  std::array<int, 3> early{};
  for (int t = 0; t < 300; ++t) {
    const std::int64_t look = plan.looks[rng.below(plan.looks.size())];
    const double share = t % 2 == 0 ? 0.6 + 0.4 * rng.uniform() : 1 - 0.01 * rng.uniform();
    DrawCount count{.look = look};
    DrawVerdict first = DrawVerdict::open;
    DrawCount then;
    while (count.draws < look) {
      ++count.draws;
      count.kept += rng.uniform() < share ? 1 : 0;
      if (first != DrawVerdict::open) continue;
      first = verdict(plan, count);
      then = count;
    }
    EXPECT_EQ(verdict(plan, count), first) << look << " " << count.kept;
    EXPECT_LE(then.kept_at_least(), count.kept);  // so its interval is no narrower
    EXPECT_GE(then.kept_at_most(), count.kept);
    ++early[static_cast<std::size_t>(first)];
  }
  for (const int times : early) EXPECT_GT(times, 20);
  // 139 draws, error 0.00083: 122 kept are too few (P(X <= 122) = 0.00061, P(X <= 123) = 0.0017), so the 17th that is
  // broken is enough.
  EXPECT_EQ(verdict(plan, {139, 40, 23}), DrawVerdict::breaks);
  EXPECT_EQ(verdict(plan, {139, 40, 24}), DrawVerdict::open);
}

TEST(Draws, MostDrawsCutsTheLooksShort) {
  const DrawPlan plan = plan_draws({.most_draws = 10}, 10);
  EXPECT_EQ(plan.looks, (std::vector<std::int64_t>{3, 10}));
}

TEST(Draws, MostDrawsMayBeMore) {
  const DrawPlan plan = plan_draws({.most_draws = 20000}, 10);
  EXPECT_EQ(plan.looks, (std::vector<std::int64_t>{3, 15, 139, 278, 556, 20000}));
}

/// 98.5 % against 95 %: a few hundred draws. 95.2 %: more than a user would wait for.
TEST(Draws, SayHowManyWouldTell) {
  const DrawPlan plan = plan_draws({}, 10);
  const DrawCount high{.look = 278, .draws = 278, .kept = 274};
  ASSERT_EQ(verdict(plan, high), DrawVerdict::open);
  const auto enough = draws_that_would_tell(plan, high);
  ASSERT_TRUE(enough);
  EXPECT_FALSE(draws_that_would_tell(plan, high, *enough / 2));
  const auto at = [&](std::int64_t draws) {
    return verdict(plan, {draws, draws, std::llround(274.0 / 278 * static_cast<double>(draws))});
  };
  EXPECT_EQ(at(*enough), DrawVerdict::keeps);
  EXPECT_EQ(at(*enough * 9 / 10), DrawVerdict::open);
  EXPECT_TRUE(worth_more_draws(plan, high));
  const DrawCount low{.look = 278, .draws = 278, .kept = 254};  // 91.4 %: ruled out in the end
  ASSERT_EQ(verdict(plan, low), DrawVerdict::open);
  EXPECT_TRUE(worth_more_draws(plan, low));
  const DrawCount near{.look = 1000, .draws = 1000, .kept = 952};
  EXPECT_FALSE(draws_that_would_tell(plan, near));
  EXPECT_FALSE(worth_more_draws(plan, near));
  EXPECT_TRUE(worth_more_draws(plan, {.look = 139, .draws = 139, .kept = 132}));  // too early to give up
}

TEST(Draws, MoreDesignsAskForMoreDraws) {
  EXPECT_LT(plan_draws({}, 1).looks.back(), plan_draws({}, 1000).looks.back());
}

/// Clopper and Pearson's interval holds the share at least as often as it says.
TEST(Draws, IntervalsHoldTheShare) {
  Rng rng(7, "intervals");
  int held = 0;
  constexpr int times = 400;
  for (int t = 0; t < times; ++t) {
    std::int64_t kept = 0;
    for (int draw = 0; draw < 60; ++draw) kept += rng.uniform() < 0.93 ? 1 : 0;
    const ShareInterval interval = share_interval({60, 60, kept}, 0.1);
    held += interval.low <= 0.93 && 0.93 <= interval.high ? 1 : 0;
  }
  EXPECT_GE(held, 0.87 * times);                          // 0.9, less two standard deviations of so few times
  EXPECT_LT(share_interval({60, 60, 3}, 0.1).high, 0.2);  // and is not all of 0 to 1
}

/// A design that keeps its promise in exactly the share that is asked for gets a verdict, either one, with at most
/// the error of its looks.
TEST(Draws, VerdictsAreWrongNoOftenerThanPlanned) {
  const DrawPlan plan = plan_draws({.draws_fraction = 0.9, .error_fraction = 0.2}, 1);
  Rng rng(3, "verdicts");
  int decided = 0;
  constexpr int times = 200;
  for (int t = 0; t < times; ++t) {
    std::int64_t kept = 0;
    std::int64_t draws = 0;
    DrawVerdict said = DrawVerdict::open;
    for (const std::int64_t look : plan.looks) {
      for (; draws < look; ++draws) kept += rng.uniform() < 0.9 ? 1 : 0;
      if (said == DrawVerdict::open) said = verdict(plan, {draws, draws, kept});
    }
    decided += said == DrawVerdict::open ? 0 : 1;
  }
  EXPECT_LE(decided, 0.45 * times);  // at most 0.2 for either verdict; the rest is chance
}

}  // namespace servecast::draws_test
