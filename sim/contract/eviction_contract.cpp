// What every eviction keeps.
#include <set>

#include "sim/contract/checks.h"
#include "sim/contract/contract.h"
#include "sim/contract/prompts.h"

namespace servecast {

void eviction_keeps_to_its_capacity(const Subject& subject, Findings& found) {
  const Paths paths(random_prompts(1, 400));
  for (const std::int64_t capacity : {1, 2, 7, 40, 10'000}) {
    EvictionReplay run(paths, subject.make<Eviction>(), capacity);
    for (std::size_t i = 0; i < paths.nodes.size(); ++i) {
      run.serve(paths, i);
      std::int64_t held = 0;
      for (std::uint32_t node = 1; node < paths.trie.size(); ++node) held += run.cache.holds(CacheEntry{node});
      found.expect(run.cache.used_blocks() == held, "a cache with it counts the blocks that it holds");
      if (!found.expect(held <= capacity, "a cache with it never holds more than its capacity")) return;
    }
  }
}

void eviction_keeps_blocks_behind_their_prefix(const Subject& subject, Findings& found) {
  if (!subject.make<Eviction>()->leaves_only()) return;
  const Paths paths(random_prompts(2, 400));
  EvictionReplay run(paths, subject.make<Eviction>(), 25);
  for (std::size_t i = 0; i < paths.nodes.size(); ++i) {
    run.serve(paths, i);
    for (std::uint32_t node = 1; node < paths.trie.size(); ++node)
      found.expect(!run.cache.holds(CacheEntry{node}) || run.cache.holds(paths.trie.parent(CacheEntry{node})),
                   "a block is there only behind its prefix where leaves_only() is true");
  }
}

void eviction_finds_all_with_room_for_all(const Subject& subject, Findings& found) {
  const auto prompts = random_prompts(3, 300);
  const Paths paths(prompts);
  const EvictionReplay run = replay(paths, subject.make<Eviction>(), static_cast<std::int64_t>(paths.trie.size()));
  std::set<Prompt> seen;
  for (std::size_t i = 0; i < prompts.size(); ++i) {
    std::size_t known = 0;
    for (std::size_t blocks = 1; blocks <= prompts[i].size(); ++blocks)
      known +=
          !seen.insert(Prompt(prompts[i].begin(), prompts[i].begin() + static_cast<std::ptrdiff_t>(blocks))).second;
    found.expect(run.found[i] == known, "with room for all, a cache finds all that was there before");
  }
  found.expect(!run.cache.was_full(), "with room for all, a cache is never full");
}

/// Belady's choice is the best there is: by blocks, over a whole trace that begins with an empty cache.
void eviction_repeats_and_never_beats_belady(const Subject& subject, Findings& found) {
  const Subject belady{.name = "belady"};
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Paths paths(random_prompts(seed, 300));
    for (const std::int64_t capacity : {1, 3, 8, 20, 60, 150}) {
      const EvictionReplay run = replay(paths, subject.make<Eviction>(), capacity);
      found.expect(run.found == replay(paths, subject.make<Eviction>(), capacity).found, "finds the same again");
      found.expect(run.found_blocks() <= replay(paths, belady.make<Eviction>(), capacity).found_blocks(),
                   "finds no more than is possible");
    }
  }
}

}  // namespace servecast
