// Cache "radix" against the same rules written the plain way: runs of tokens in a list, each with the whole path to
// it.
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <optional>

#include "models/base/rng.h"
#include "tests/unit/policy/prefix/made_cache.h"

namespace servecast::radix_test {

using Tokens = std::vector<std::uint64_t>;

/// Token i of a prompt, told apart by the hash block that it is in.
Tokens tokens_of(const Request& request, std::int64_t count) {
  Tokens tokens;
  std::uint64_t path = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    const auto block = static_cast<std::size_t>(i / request.block_tokens);
    if (block >= request.said().size()) break;
    if (i % request.block_tokens == 0) path = path * 31 + request.said()[block] + 1;
    tokens.push_back(path * 64 + static_cast<std::uint64_t>(i % request.block_tokens));
  }
  return tokens;
}

class NaiveRadix {
 public:
  explicit NaiveRadix(std::int64_t capacity) : empty_(capacity) {}

  struct Held {
    Tokens shared{};
    std::int64_t own = 0;
  };

  std::int64_t find(const Tokens& tokens) const {
    std::size_t most = 0;
    for (const Run& run : runs_) most = std::max(most, alike(run.path, tokens));
    return static_cast<std::int64_t>(most);
  }
  std::int64_t free() const {
    std::int64_t free = empty_;
    for (const Run& run : runs_)
      if (!is_held(run)) free += run.size();
    return free;
  }
  bool hold(const Tokens& reusable, std::int64_t tokens, Held& held) {
    const auto found = static_cast<std::size_t>(find(reusable));
    const Tokens path(reusable.begin(), reusable.begin() + static_cast<std::ptrdiff_t>(found));
    cut(path);
    holders_.push_back(path);
    if (free() < tokens - static_cast<std::int64_t>(found)) {
      holders_.pop_back();
      return false;  // a cut is all that stays: it changes no holder's tokens
    }
    touch(path);
    held.shared = path;
    take(held, tokens - static_cast<std::int64_t>(found));
    return true;
  }
  void take(Held& held, std::int64_t count) {
    while (empty_ < count) drop_first();
    empty_ -= count;
    held.own += count;
  }
  void computed(const Tokens& to, Held& held) {
    if (to.size() <= held.shared.size()) return;
    const auto found = static_cast<std::size_t>(find(to));
    const Tokens old(to.begin(), to.begin() + static_cast<std::ptrdiff_t>(found));
    cut(old);
    if (found < to.size()) runs_.push_back({.path = to, .begin = found});
    const auto quicker = static_cast<std::int64_t>(found - held.shared.size());
    empty_ += quicker;
    held.own -= static_cast<std::int64_t>(to.size() - held.shared.size());
    touch(to, held.shared.size());
    unhold(held.shared);
    holders_.push_back(to);
    held.shared = to;
  }
  void release(const Held& held) {
    empty_ += held.own;
    touch(held.shared);
    unhold(held.shared);
  }

 private:
  struct Run {
    Tokens path{};  // from the root to its end
    std::size_t begin = 0;
    std::uint64_t used = 0;
    std::int64_t size() const { return static_cast<std::int64_t>(path.size() - begin); }
  };
  static std::size_t alike(const Tokens& a, const Tokens& b) {
    return static_cast<std::size_t>(std::ranges::mismatch(a, b).in1 - a.begin());
  }
  static bool begins_with(const Tokens& path, const Tokens& beginning) {
    return alike(path, beginning) == beginning.size();
  }
  bool is_held(const Run& run) const {
    return std::ranges::any_of(holders_, [&](const Tokens& path) { return begins_with(path, run.path); });
  }
  bool is_leaf(const Run& run) const {
    return std::ranges::none_of(
        runs_, [&](const Run& other) { return other.begin >= run.path.size() && begins_with(other.path, run.path); });
  }
  void cut(const Tokens& path) {
    for (std::size_t i = 0; i < runs_.size(); ++i) {
      Run& run = runs_[i];
      if (run.begin >= path.size() || run.path.size() <= path.size() || !begins_with(run.path, path)) continue;
      const Run upper{.path = path, .begin = run.begin, .used = run.used};
      run.begin = path.size();
      runs_.push_back(upper);
      return;
    }
  }
  void touch(const Tokens& path, std::size_t from = 0) {
    ++now_;
    for (Run& run : runs_)
      if (run.begin >= from && begins_with(path, run.path)) run.used = now_;
  }
  void unhold(const Tokens& path) { holders_.erase(std::ranges::find(holders_, path)); }
  void drop_first() {
    std::optional<std::size_t> first;
    for (std::size_t i = 0; i < runs_.size(); ++i)
      if (!is_held(runs_[i]) && is_leaf(runs_[i]) && (!first || runs_[i].used < runs_[*first].used)) first = i;
    empty_ += runs_.at(first.value()).size();
    runs_.erase(runs_.begin() + static_cast<std::ptrdiff_t>(*first));
  }

  std::vector<Run> runs_{};
  std::vector<Tokens> holders_{};
  std::int64_t empty_;
  std::uint64_t now_ = 0;
};

TEST(Radix, FindsAndKeepsTheSameAsAPlainList) {
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    Rng rng(seed, "radix");
    const std::int64_t capacity = 60 + static_cast<std::int64_t>(rng.below(200));
    const auto cache = made_cache("radix", capacity);
    NaiveRadix naive(capacity);
    struct Both {
      Holder holder;
      NaiveRadix::Held naive{};
    };
    std::deque<Both> running;
    std::int64_t found = 0;
    for (int i = 0; i < 600; ++i) {
      std::vector<BlockHash> said;
      for (std::uint64_t n = 1 + rng.below(6); n > 0; --n) said.push_back(rng.below(3));
      const auto prompt = static_cast<std::int64_t>(1 + rng.below(5 * said.size()));
      Both both{.holder = Holder({}, prompt, 5, said)};
      const Request& request = both.holder.request;
      const std::int64_t hit = cache->cached_tokens(request);
      ASSERT_EQ(hit, naive.find(tokens_of(request, prompt - 1)));
      found += hit;
      const bool room = cache->has_room(request, both.holder.held, prompt, true);
      const bool fits = cache->hold(request, both.holder.held, prompt, true);
      ASSERT_EQ(fits, room);
      ASSERT_EQ(fits, naive.hold(tokens_of(request, prompt - 1), prompt, both.naive));
      ASSERT_EQ(cache->free_blocks(), naive.free());
      if (fits) {
        for (const std::int64_t part : {(hit + prompt) / 2, prompt}) {  // two chunks
          cache->computed(request, both.holder.held, part);
          naive.computed(tokens_of(request, part), both.naive);
        }
        running.push_back(std::move(both));
      }
      while (running.size() > 6 || (!running.empty() && rng.uniform() < 0.5)) {
        const std::size_t i_done = rng.below(running.size());
        Both& done = running[i_done];
        const auto output = static_cast<std::int64_t>(1 + rng.below(12));
        if (rng.uniform() < 0.7 && cache->free_blocks() >= output) {
          naive.take(done.naive, output - 1);
          naive.computed(tokens_of(done.holder.request, done.holder.request.prompt_tokens + output - 1), done.naive);
          naive.release(done.naive);
          done.holder.finish(*cache, output);
        } else {
          naive.release(done.naive);
          done.holder.release(*cache);
        }
        running.erase(running.begin() + static_cast<std::ptrdiff_t>(i_done));
        ASSERT_EQ(cache->free_blocks(), naive.free()) << "seed " << seed << ", request " << i;
      }
    }
    EXPECT_GT(found, 500);
  }
}

// 40 tokens asked, 30 answered, of which the last is not computed: the next turn finds 69 tokens, not whole blocks.
TEST(Radix, SharesToTheToken) {
  const auto cache = made_cache("radix", 400);
  Holder first({1, 2}, 40, 16, {1, 2, 3, 4, 5});
  ASSERT_TRUE(first.compute(*cache));
  EXPECT_EQ(cache->used_blocks(), 40);
  EXPECT_EQ(cache->cached_tokens(first.request), 39) << "all but the last token";
  first.finish(*cache, 30);
  EXPECT_EQ(cache->used_blocks(), 0);
  Holder second({1, 2, 3, 4, 5}, 90, 16, {1, 2, 3, 4, 5, 6});
  EXPECT_EQ(cache->cached_tokens(second.request), 69);
  Holder other({1, 2, 3, 9}, 90, 16);
  EXPECT_EQ(cache->cached_tokens(other.request), 48) << "a block that differs is taken to differ from its beginning";
}

// A leaf leaves as a whole, the one used longest ago; what it hangs on stays.
TEST(Radix, LeavesLeaveWhole) {
  const auto cache = made_cache("radix", 100);
  Holder a({1, 2, 3}, 48, 16);
  Holder b({1, 7, 8}, 48, 16);
  ASSERT_TRUE(a.compute(*cache));
  ASSERT_TRUE(b.compute(*cache));  // shares 16: 80 tokens in all
  a.release(*cache);
  b.release(*cache);
  Holder other({}, 21, 16);  // one token more than is empty
  ASSERT_TRUE(other.compute(*cache));
  EXPECT_EQ(cache->cached_tokens(Holder({1, 2, 3}, 49, 16).request), 16);
  EXPECT_EQ(cache->cached_tokens(Holder({1, 7, 8}, 49, 16).request), 48);
}

TEST(Radix, SharesWholePagesWhereItHasPages) {
  const auto cache = made_cache("radix", 400, {{"block_tokens", "64"}});
  Holder first({1, 2, 3, 4, 5, 6, 7, 8}, 128, 16);
  ASSERT_TRUE(first.compute(*cache));
  EXPECT_EQ(cache->cached_tokens(Holder({1, 2, 3, 4, 9}, 80, 16).request), 64);
  EXPECT_EQ(cache->cached_tokens(Holder({1, 2, 3, 9, 9}, 80, 16).request), 0);
  EXPECT_EQ(cache->cached_tokens(Holder({1, 2, 3, 4, 5, 6, 7, 8}, 128, 16).request), 64);
  EXPECT_EQ(cache->cached_tokens(Holder({1, 2, 3, 4, 5, 6}, 128, 24).request), 0) << "24 and 64 do not go together";
}

}  // namespace servecast::radix_test
