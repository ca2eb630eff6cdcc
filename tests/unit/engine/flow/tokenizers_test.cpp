#include "sim/engine/flow/tokenizers.h"

#include <gtest/gtest.h>

#include <limits>
#include <map>
#include <vector>

#include "models/base/rng.h"

namespace servecast::tokenizers_test {

constexpr double forever = std::numeric_limits<double>::infinity();
constexpr double own_s = 0.01;

Tokenizers::Prompt prompt(std::uint32_t id, double came_s) {
  return {.came_s = came_s, .tokenized_s = came_s + own_s, .request = {.id = RequestId{id}}};
}

/// When each is tokenised, by id.
std::map<std::uint32_t, double> tokenized(Tokenizers& tokenizers, std::size_t workers) {
  std::map<std::uint32_t, double> all;
  tokenizers.take(
      forever, [&](PoolId) { return workers; },
      [&](double at_s, const Request& r) { all[static_cast<std::uint32_t>(index(r.id))] = at_s; });
  return all;
}

TEST(Tokenizers, TakeOnePromptAtATimeInTheOrderInWhichTheyCome) {
  Tokenizers one(1);
  one.add(prompt(0, 1.005));
  one.add(prompt(1, 1));
  one.add(prompt(2, 2));
  EXPECT_DOUBLE_EQ(one.next_s(), 1.01);
  const auto done = tokenized(one, 1);
  EXPECT_DOUBLE_EQ(done.at(1), 1.01);
  EXPECT_DOUBLE_EQ(done.at(0), 1.02);
  EXPECT_DOUBLE_EQ(done.at(2), 2.01);
  EXPECT_TRUE(one.empty());
  EXPECT_NEAR(one.busy_s(PoolId{}), 3 * own_s, 1e-12);
}

TEST(Tokenizers, TakeAsManyAsThereAreWorkers) {
  Tokenizers two(1);
  for (std::uint32_t id = 0; id < 4; ++id) two.add(prompt(id, 1));
  const auto done = tokenized(two, 2);
  EXPECT_DOUBLE_EQ(done.at(1), 1.01);
  EXPECT_DOUBLE_EQ(done.at(2), 1.02);
  EXPECT_DOUBLE_EQ(done.at(3), 1.02);
}

TEST(Tokenizers, LeaveWhatHasNotComeYet) {
  Tokenizers one(1);
  one.add(prompt(0, 1));
  one.add(prompt(1, 3));
  int taken = 0;
  one.take(
      2, [](PoolId) { return std::size_t{1}; }, [&](double, const Request&) { ++taken; });
  EXPECT_EQ(taken, 1);
  EXPECT_DOUBLE_EQ(one.next_s(), 3.01);
}

// Pollaczek and Khinchine: of Poisson arrivals and one server whose times are all alike, the mean wait is
// ρ / (2 (1 - ρ)) of such a time.
TEST(Tokenizers, WaitAsMD1Does) {
  constexpr int prompts = 200'000;
  constexpr double rho = 0.7;
  Tokenizers one(1);
  Rng rng(1, "tokenizers");
  double at_s = 0;
  std::vector<double> came_s;
  for (std::uint32_t id = 0; id < prompts; ++id) {
    at_s += rng.exponential(own_s / rho);
    came_s.push_back(at_s);
    one.add(prompt(id, at_s));
  }
  double waited_s = 0;
  for (const auto& [id, done_s] : tokenized(one, 1)) waited_s += done_s - own_s - came_s[id];
  EXPECT_NEAR(waited_s / prompts, rho / (2 * (1 - rho)) * own_s, 0.03 * own_s);
}

}  // namespace servecast::tokenizers_test
