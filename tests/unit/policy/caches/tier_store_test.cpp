#include "models/policy/caches/tier_store.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <list>

#include "models/base/rng.h"

namespace servecast::tier_store_test {

std::unique_ptr<Eviction> eviction(const std::string& name) {
  return Registry<Eviction>::all().at(name).prepare()->make();
}

TEST(TierStore, HoldsAsManyTokensAsItHasRoomFor) {
  TierStore store(100, eviction("lru"));
  EXPECT_TRUE(store.put({.name = 1, .tokens = 40}, 0).empty());
  EXPECT_TRUE(store.put({.name = 2, .tokens = 40}, 1).empty());
  store.use(1, 2);
  const auto left = store.put({.name = 3, .tokens = 30}, 3);
  ASSERT_EQ(left.size(), 1u);
  EXPECT_EQ(left[0].name, 2u);
  EXPECT_EQ(store.used_tokens(), 70);
  EXPECT_TRUE(store.find(1, 3) && store.find(3, 3) && !store.find(2, 3));
  EXPECT_TRUE(store.put({.name = 4, .tokens = 101}, 4).empty()) << "longer than the store: not taken in";
  EXPECT_FALSE(store.find(4, 4));
  store.put({.name = 1, .tokens = 40}, 5);  // is here already
  EXPECT_EQ(store.written_tokens(), 110);
  EXPECT_EQ(store.dropped_tokens(), 40);
}

TEST(TierStore, WithTtlWhatIsOldIsGone) {
  TierStore store(100, eviction("ttl"));  // 120 s
  store.put({.name = 1, .tokens = 40}, 0);
  EXPECT_TRUE(store.find(1, 120));
  EXPECT_FALSE(store.find(1, 121));
  store.put({.name = 2, .tokens = 10}, 200);
  EXPECT_EQ(store.used_tokens(), 10);
}

/// The same rules over a plain list.
class NaiveStore {
 public:
  NaiveStore(std::int64_t capacity, std::string policy) : capacity_(capacity), policy_(std::move(policy)) {}
  bool has(BlockHash name, double now_s) const {
    const auto entry = std::ranges::find(entries_, name, &Entry::name);
    return entry != entries_.end() && alive(*entry, now_s);
  }
  void use(BlockHash name, double now_s) {
    const auto entry = std::ranges::find(entries_, name, &Entry::name);
    if (entry == entries_.end()) return;
    entry->uses += 1;
    entry->used = ++count_;
    entry->used_s = now_s;
  }
  void put(BlockHash name, std::int64_t tokens, double now_s) {
    entries_.remove_if([&](const Entry& entry) { return !alive(entry, now_s); });
    if (tokens > capacity_ || has(name, now_s)) return;
    while (used() + tokens > capacity_)
      entries_.erase(std::ranges::min_element(entries_, {}, [&](const Entry& entry) {
        const std::uint64_t first = policy_ == "fifo" ? entry.entered : policy_ == "lfu" ? entry.uses : 0;
        return std::pair(first, entry.used);
      }));
    entries_.push_back({name, tokens, count_ + 1, count_ + 1, 1, now_s});
    ++count_;
  }
  std::int64_t used() const {
    std::int64_t sum = 0;
    for (const Entry& entry : entries_) sum += entry.tokens;
    return sum;
  }

 private:
  struct Entry {
    BlockHash name;
    std::int64_t tokens;
    std::uint64_t entered, used, uses;
    double used_s;
  };
  bool alive(const Entry& entry, double now_s) const { return policy_ != "ttl" || now_s - entry.used_s <= 120; }
  std::int64_t capacity_;
  std::string policy_;
  std::uint64_t count_ = 0;
  std::list<Entry> entries_;
};

class AnyTierStore : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(All, AnyTierStore, testing::Values("lru", "lfu", "fifo", "ttl"),
                         [](const auto& policy) { return policy.param; });

TEST_P(AnyTierStore, DoesWhatAPlainListDoes) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    Rng rng(seed, "tier");
    const auto capacity = static_cast<std::int64_t>(50 + rng.below(300));
    TierStore store(capacity, eviction(GetParam()));
    NaiveStore naive(capacity, GetParam());
    double now_s = 0;
    for (int i = 0; i < 2'000; ++i) {
      now_s += rng.exponential(8);
      const BlockHash name = rng.below(60);
      const bool here = store.find(name, now_s) != nullptr;
      ASSERT_EQ(here, naive.has(name, now_s)) << "seed " << seed << ", step " << i;
      if (here) {
        store.use(name, now_s);
        naive.use(name, now_s);
      } else {
        const std::int64_t tokens = 1 + static_cast<std::int64_t>(name % 17);
        store.put({.name = name, .tokens = tokens}, now_s);
        naive.put(name, tokens, now_s);
        ASSERT_EQ(store.used_tokens(), naive.used());
      }
      ASSERT_LE(store.used_tokens(), capacity);
      ASSERT_EQ(store.written_tokens() - store.dropped_tokens(), store.used_tokens());
    }
  }
}

}  // namespace servecast::tier_store_test
