#include "models/policy/support/exit_layers.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "models/base/rng.h"

namespace servecast::exit_layers_test {

// A quarter leaves after layer 1, the rest after layer 3: mean 2.5. Of two tokens both leave at layer 1 with 1/16.
TEST(ExitLayers, DeepestOfSeveralTokens) {
  const ExitLayers layers({1, 0, 3});
  EXPECT_DOUBLE_EQ(layers.mean(), 2.5);
  EXPECT_EQ(layers.deepest(1, 0.24), 1);
  EXPECT_EQ(layers.deepest(1, 0.26), 3);
  EXPECT_EQ(layers.deepest(2, 0.06), 1);
  EXPECT_EQ(layers.deepest(2, 0.07), 3);
}

TEST(ExitLayers, EvenAsTheMeanAllows) {
  for (const double mean : {16.0, 20.5, 23.22, 28.0, 31.0}) {
    const ExitLayers layers = ExitLayers::with_mean(15, 32, mean);
    EXPECT_NEAR(layers.mean(), mean, 1e-9);
    EXPECT_EQ(layers.deepest(1, 0), 15);
    EXPECT_EQ(layers.layers(), 32);
  }
}

// One draw for the step against the largest of one draw for each token: the same mean, within four standard errors.
TEST(ExitLayers, OneDrawStandsForAllTokens) {
  const ExitLayers layers = ExitLayers::with_mean(15, 32, 23.22);
  constexpr int rounds = 20'000;
  for (const int tokens : {1, 3, 8}) {
    Rng one(1, "one");
    Rng each(2, "each");
    double by_one = 0;
    double by_each = 0;
    for (int i = 0; i < rounds; ++i) {
      by_one += static_cast<double>(layers.deepest(tokens, one.uniform()));
      std::int64_t deepest = 0;
      for (int t = 0; t < tokens; ++t) deepest = std::max(deepest, layers.deepest(1, each.uniform()));
      by_each += static_cast<double>(deepest);
    }
    EXPECT_NEAR(by_one / rounds, by_each / rounds, 4 * 5.2 * 1.42 / 141)
        << tokens;  // deviation 5.2, root of rounds 141
  }
}

}  // namespace servecast::exit_layers_test
