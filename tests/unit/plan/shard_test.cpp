#include "sim/plan/search/shard.h"

#include <gtest/gtest.h>

#include "models/base/error.h"

namespace servecast::shard_test {

TEST(Shard, every_design_belongs_to_exactly_one) {
  std::vector<int> taken(8);
  for (int design = 0; design < 800; ++design) {
    int takers = 0;
    for (std::int64_t k = 1; k <= 8; ++k)
      if (Shard{k, 8}.takes({"pools[0].replicas=" + std::to_string(design), "seed=1"})) {
        ++takers;
        ++taken[static_cast<std::size_t>(k - 1)];
      }
    EXPECT_EQ(takers, 1) << design;
  }
  for (const int count : taken) EXPECT_NEAR(count, 100, 40);  // four standard deviations: sqrt(800/8*7/8) = 9.4
}

TEST(Shard, of_a_row_it_is_every_count_th) {
  EXPECT_EQ(dealt(std::vector{10, 11, 12, 13, 14, 15, 16}, {2, 3}), (std::vector{11, 14}));
  EXPECT_EQ(dealt(std::vector{10, 11}, {}), (std::vector{10, 11}));
}

TEST(Shard, who_takes_what_is_the_same_everywhere) {
  // Of the first 60 bits of SHA-256: by hand, with sha256sum.
  EXPECT_TRUE((Shard{5, 8}.takes(std::string("a"))));
  EXPECT_TRUE((Shard{1, 1}.takes(std::string("anything"))));
}

TEST(Shard, is_written_k_of_n) {
  const Shard shard = parse_shard("3/8");
  EXPECT_EQ(shard.index, 3);
  EXPECT_EQ(shard.count, 8);
  for (const char* word : {"", "3", "3/", "/8", "0/8", "9/8", "3/8x", "a/b", "-1/8", "1/0"})
    EXPECT_THROW(parse_shard(word), UserError) << word;
}

}  // namespace servecast::shard_test
