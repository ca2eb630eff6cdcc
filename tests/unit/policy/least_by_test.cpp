#include "models/policy/support/least_by.h"

#include <gtest/gtest.h>

#include "models/base/rng.h"

namespace servecast::least_by_test {

// Few different keys, so that there are ties; sizes on both sides of powers of two, which is where places are left
// over.
TEST(LeastBy, IsTheFirstOfTheLeastWhateverChanges) {
  for (const std::size_t size : {1u, 2u, 3u, 4u, 5u, 8u, 9u, 31u}) {
    Rng rng(size, "keys");
    std::vector<std::int64_t> keys(size);
    for (std::int64_t& key : keys) key = static_cast<std::int64_t>(rng.below(6));
    LeastBy<std::int64_t> least;
    least.assign(keys);
    for (int change = 0; change < 2000; ++change) {
      ASSERT_EQ(least.least(), static_cast<std::size_t>(std::ranges::min_element(keys) - keys.begin()))
          << "of " << size << " after " << change << " changes";
      const std::size_t i = rng.below(size);
      keys[i] = static_cast<std::int64_t>(rng.below(6));
      least.set(i, keys[i]);
      ASSERT_EQ(least.key(i), keys[i]);
    }
  }
}

}  // namespace servecast::least_by_test
