// Cache "radix" where layers have states: what is found, kept and dropped, by SGLang's rules.
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>

#include "models/base/rng.h"
#include "sim/contract/set_by_key.h"
#include "tests/unit/policy/prefix/made_cache.h"

namespace servecast::radix_states_test {

/// Three groups of linear layers for each full one, a state as large as 8 tokens of KV. `slots` slots of 3 x 8
/// tokens, and 24 tokens of KV of full layers for each, or with a ratio of 0.1 ten times as many.
std::unique_ptr<KvCache> cache_of(std::int64_t slots, const std::string& strategy = "no_buffer", double ratio = 1) {
  const auto prepared = Registry<KvCache>::all().at("radix").prepare();
  SetByKey fields({{"mamba_full_memory_ratio", std::to_string(ratio)}, {"mamba_scheduler_strategy", strategy}});
  prepared->fields(fields);
  auto cache = prepared->make();
  cache->set_groups({.groups = 4, .windowed = 3, .window_tokens = 8, .layers = 1, .from_the_first = true});
  cache->resize(static_cast<std::int64_t>(6 * static_cast<double>(slots) * (1 + ratio) / ratio + 0.5));
  return cache;
}

/// `tokens` tokens in hash blocks of 16, from which alone they follow.
Holder prompt(std::vector<BlockHash> blocks, std::int64_t tokens, std::vector<BlockHash> said = {}) {
  return {std::move(blocks), tokens, 16, std::move(said)};
}

void run(KvCache& cache, Holder holder) {
  ASSERT_TRUE(holder.compute(cache));
  holder.release(cache);
}

TEST(RadixStates, DivideTheMemory) {
  const auto cache = cache_of(10);
  EXPECT_TRUE(cache->keeps_states());
  EXPECT_EQ(cache->total_blocks(), 240);
}

// The state behind the prompt serves whatever goes on there, and nothing that leaves it before: a state has no
// beginning that could be cut off.
TEST(RadixStates, APrefixIsFoundUpToAState) {
  const auto cache = cache_of(10);
  run(*cache, prompt({1, 2, 3, 4}, 64));
  EXPECT_EQ(cache->cached_tokens(prompt({1, 2, 3, 4, 5}, 80).request), 64);
  EXPECT_EQ(cache->cached_tokens(prompt({1, 2, 3, 9}, 64).request), 0);
  EXPECT_EQ(cache->cached_tokens(prompt({1, 2, 3, 4}, 64).request), 0);  // its last token is computed
}

// Computed in two chunks, a prompt leaves a state behind each.
TEST(RadixStates, ChunksLeaveStates) {
  const auto cache = cache_of(10);
  Holder first = prompt({1, 2, 3, 4}, 64);
  ASSERT_TRUE(cache->hold(first.request, first.held, 32, true));
  cache->computed(first.request, first.held, 32);
  ASSERT_TRUE(cache->hold(first.request, first.held, 64, false));
  cache->computed(first.request, first.held, 64);
  first.release(*cache);
  EXPECT_EQ(cache->cached_tokens(prompt({1, 2, 3, 9}, 64).request), 32);
  EXPECT_EQ(cache->cached_tokens(prompt({1, 9}, 32).request), 0);
}

// 48 tokens of prompt and 16 of answer: the last of these is never computed, so the state is behind 63.
TEST(RadixStates, TheNextTurnFindsTheAnswer) {
  const auto cache = cache_of(10);
  Holder first = prompt({1, 2, 3}, 48, {1, 2, 3, 4});
  ASSERT_TRUE(first.compute(*cache));
  first.finish(*cache, 16);
  EXPECT_EQ(cache->cached_tokens(prompt({1, 2, 3, 4, 5}, 80).request), 63);
}

// Prompts that have 128 tokens in common, as of a system prompt. Without a buffer no prompt ever ends a chunk there.
// With one the second leaves a state where it leaves the first, and the third finds it.
TEST(RadixStates, BranchesHaveAStateWithABuffer) {
  const std::vector<BlockHash> common{1, 2, 3, 4, 5, 6, 7, 8};
  const auto with = [&](BlockHash last) {
    std::vector<BlockHash> blocks = common;
    for (int i = 0; i < 4; ++i) blocks.push_back(last + static_cast<BlockHash>(i));
    return prompt(blocks, 192);
  };
  const auto plain = cache_of(40);
  const auto buffered = cache_of(40, "extra_buffer");
  for (const BlockHash last : {100, 200}) {
    EXPECT_EQ(buffered->cached_tokens(with(last).request), 0);
    run(*plain, with(last));
    run(*buffered, with(last));
  }
  EXPECT_EQ(plain->cached_tokens(with(300).request), 0);
  EXPECT_EQ(buffered->cached_tokens(with(300).request), 128);
}

// 12 slots are for 4 sequences at a time.
TEST(RadixStates, SlotsSayHowManyRun) {
  const auto cache = cache_of(12);
  std::vector<Holder> running;
  for (BlockHash i = 0; i < 4; ++i) ASSERT_TRUE(running.emplace_back(prompt({i}, 16)).compute(*cache));
  Holder fifth = prompt({99}, 16);
  EXPECT_FALSE(fifth.compute(*cache));
  running.back().release(*cache);
  EXPECT_TRUE(fifth.compute(*cache));
  const auto small = cache_of(1);
  EXPECT_TRUE(prompt({1}, 16).compute(*small)) << "a lone one always runs";
}

/// The same rules the plain way: paths with states, the one used longest ago leaves.
struct PlainStates {
  struct State {
    std::vector<BlockHash> path{};
    std::uint64_t used = 0;
  };
  std::vector<State> states{};
  std::uint64_t now = 0;

  static bool begins(const std::vector<BlockHash>& path, const std::vector<BlockHash>& with) {
    return with.size() <= path.size() && std::equal(with.begin(), with.end(), path.begin());
  }
  std::size_t find(const std::vector<BlockHash>& path) const {
    std::size_t most = 0;
    for (const State& s : states)
      if (s.path.size() < path.size() && begins(path, s.path)) most = std::max(most, s.path.size());
    return most;
  }
  void touch(const std::vector<BlockHash>& path) {
    std::vector<State*> along;
    for (State& s : states)
      if (begins(path, s.path)) along.push_back(&s);
    std::ranges::sort(along, {}, [](const State* s) { return s->path.size(); });
    for (State* s : along) s->used = ++now;
  }
  /// Computed alone, whole: the state that it began with stays until its own has room.
  void run(const std::vector<BlockHash>& path, std::size_t slots) {
    const std::vector<BlockHash> began(path.begin(), path.begin() + static_cast<std::ptrdiff_t>(find(path)));
    touch(began);
    while (states.size() + 2 > slots) {
      std::optional<std::size_t> first;
      for (std::size_t i = 0; i < states.size(); ++i)
        if (states[i].path != began && (!first || states[i].used < states[*first].used)) first = i;
      states.erase(states.begin() + static_cast<std::ptrdiff_t>(first.value()));
    }
    touch(path);
    if (std::ranges::find(states, path, &State::path) == states.end())
      states.push_back({.path = path, .used = ++now});
  }
};

// Random conversations, one at a time, with memory for all keys and values: the states that are found are those that
// a plain list has. A prompt's own slot and that of its state are two.
TEST(RadixStates, FindsWhatAPlainListFinds) {
  Rng rng(7, "states");
  const std::int64_t slots = 12;
  const auto cache = cache_of(slots, "no_buffer", 0.1);
  PlainStates plain;
  std::int64_t found = 0;
  for (int i = 0; i < 3000; ++i) {
    std::vector<BlockHash> blocks;
    const auto length = 1 + static_cast<std::int64_t>(rng.below(4));
    for (std::int64_t b = 0; b < length; ++b) blocks.push_back(1 + rng.below(2 + 2 * static_cast<std::uint64_t>(b)));
    Holder holder = prompt(blocks, 16 * length);
    ASSERT_EQ(cache->cached_tokens(holder.request), 16 * static_cast<std::int64_t>(plain.find(blocks))) << i;
    found += cache->cached_tokens(holder.request);
    run(*cache, std::move(holder));
    plain.run(blocks, static_cast<std::size_t>(slots));
    ASSERT_EQ(cache->used_blocks(), 0);
  }
  EXPECT_GT(found, 3000);
}

// Memory short of both, several sequences at a time, prompts in chunks, answers, and some that end early: nothing is
// lost.
TEST(RadixStates, MemoryIsConserved) {
  for (const std::string strategy : {"no_buffer", "extra_buffer"}) {
    Rng rng(8, strategy);
    const auto cache = cache_of(25, strategy);
    std::vector<Holder> running;
    std::int64_t found = 0;
    for (int i = 0; i < 4000; ++i) {
      std::vector<BlockHash> blocks;
      const auto length = 1 + static_cast<std::int64_t>(rng.below(12));
      for (std::int64_t b = 0; b < length; ++b) blocks.push_back(1 + rng.below(2));
      const std::int64_t tokens = 16 * length - static_cast<std::int64_t>(rng.below(8));
      Holder h = prompt(blocks, tokens, blocks);
      const std::int64_t part = std::max<std::int64_t>(cache->cached_tokens(h.request), tokens / 2);
      found += cache->cached_tokens(h.request);
      if (cache->hold(h.request, h.held, part, true)) {
        cache->computed(h.request, h.held, part);
        if (cache->hold(h.request, h.held, tokens, false)) cache->computed(h.request, h.held, tokens);
        running.push_back(std::move(h));
      }
      ASSERT_GE(cache->free_blocks(), 0);
      if (running.size() < 4 && rng.below(2) == 0) continue;
      const auto out = static_cast<std::ptrdiff_t>(rng.below(running.size() + 1));
      if (out == static_cast<std::ptrdiff_t>(running.size())) continue;
      running[static_cast<std::size_t>(out)].release(*cache);
      running.erase(running.begin() + out);
    }
    EXPECT_GT(found, 10'000) << strategy;
    for (Holder& h : running) h.release(*cache);
    EXPECT_EQ(cache->free_blocks(), cache->total_blocks());
  }
}

}  // namespace servecast::radix_states_test
