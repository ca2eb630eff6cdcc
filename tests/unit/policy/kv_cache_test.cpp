#include "models/policy/kv_cache.h"

#include <gtest/gtest.h>

#include "models/base/rng.h"
#include "models/policy/support/buddy.h"

namespace servecast::kv_cache_test {

// 13 blocks begin as runs of 8, 4 and 1. A run of 2 splits the 4; given back, it is one piece again.
TEST(Buddy, SplitsAndJoinsRuns) {
  Buddy buddy;
  buddy.resize(13);
  EXPECT_EQ(buddy.take(2), 8);
  EXPECT_EQ(buddy.take(3), 0);  // rounded up to 4: half of the 8
  EXPECT_EQ(buddy.take(4), 4);
  EXPECT_EQ(buddy.take(4), std::nullopt);
  EXPECT_EQ(buddy.take(2), 10);
  EXPECT_EQ(buddy.take(1), 12);
  buddy.give_back(8, 2);
  EXPECT_EQ(buddy.take(4), std::nullopt);
  buddy.give_back(10, 2);
  EXPECT_EQ(buddy.take(4), 8);
}

std::int64_t blocks_of(const std::string& cache, const Request& request) {
  const auto made = Registry<KvCache>::all().at(cache).prepare()->make();
  made->resize(16 * 1'000);
  return made->blocks_for(request, 1);
}

// Prompt 100, output 40, in blocks of 16 tokens: all of 2,048 tokens; 100 + 64; 100 + 40. Pieces are powers of two.
TEST(ContiguousCaches, ReserveWhatTheirNamesSay) {
  const Request r{.prompt_tokens = 100, .output_tokens = 40};
  EXPECT_EQ(blocks_of("contiguous_max", r), 128);
  EXPECT_EQ(blocks_of("contiguous_pow2", r), 16);    // 164 tokens: 11 blocks
  EXPECT_EQ(blocks_of("contiguous_oracle", r), 16);  // 140 tokens: 9 blocks
  const Request three{.prompt_tokens = 100, .output_tokens = 20, .samples = 3};
  EXPECT_EQ(blocks_of("contiguous_oracle", three), 32);  // 360 tokens: 23 blocks
}

struct Published {
  std::int64_t width;
  double saved_fraction;
};

/// Share of KV memory that sequences of a request save by holding blocks in common, over the time that they decode.
double saved_fraction(double prompt_mean, double output_mean, const Request& like) {
  const BlockSettings blocks;
  Rng rng(1, "lengths");
  std::int64_t held = 0;
  std::int64_t apart = 0;
  for (int i = 0; i < 2'000; ++i) {
    Request r = like;
    r.prompt_tokens = 1 + static_cast<std::int64_t>(rng.exponential(prompt_mean));
    const auto output = 1 + static_cast<std::int64_t>(rng.exponential(output_mean));
    for (std::int64_t tokens = r.prompt_tokens + 1; tokens <= r.prompt_tokens + output; ++tokens) {
      held += blocks.blocks_for(r, tokens);
      apart += r.width() * blocks.blocks_for(tokens);
    }
  }
  return 1 - static_cast<double>(held) / static_cast<double>(apart);
}

// Kwon et al., SOSP 2023, section 6.3 and figure 15: Alpaca (mean prompt 19, output 58 tokens), OPT-13B.
TEST(SharedBlocks, SaveWhatParallelSamplingSavedInThePaper) {
  for (const Published& p : {Published{2, 0.0609}, Published{4, 0.0853}, Published{6, 0.0979}}) {
    const Request r{.samples = static_cast<std::int32_t>(p.width)};
    EXPECT_NEAR(saved_fraction(19, 58, r), p.saved_fraction, 0.03) << p.width;
  }
}
TEST(SharedBlocks, SaveWhatBeamSearchSavedInThePaper) {
  for (const Published& p : {Published{2, 0.3756}, Published{4, 0.5313}, Published{6, 0.5516}}) {
    const Request r{.beam_width = static_cast<std::int32_t>(p.width)};
    EXPECT_NEAR(saved_fraction(19, 58, r), p.saved_fraction, 0.06) << p.width;
  }
}

}  // namespace servecast::kv_cache_test
