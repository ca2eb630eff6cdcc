#pragma once
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "models/policy/caches/eviction_queue.h"
#include "models/policy/expert_cache.h"

namespace servecast {

/// A cache of whole experts, such as those of one layer in a GPU's memory. Its policy says which one leaves.
class ExpertSlots {
 public:
  /// The policy outlives it. Uses in the long run, by entry.
  ExpertSlots(std::int64_t slots, const ExpertCache& policy, std::vector<std::uint64_t> long_run_uses);

  bool holds(CacheEntry entry) const { return queue_.contains(entry); }
  std::int64_t held() const { return held_; }
  std::int64_t slots() const { return slots_; }

  /// The entry is used. True where it was there; else it comes in, unless all that is there is worth more.
  bool use(CacheEntry entry, std::uint64_t next_use = CacheUse::never_again);
  /// Takes in the entries that are used most in the long run, the most used of them as the last.
  void fill();
  void clear();

 private:
  void enter(CacheEntry entry, std::uint64_t next_use);
  std::uint64_t rank(CacheEntry entry) const { return policy_->rank(uses_[index(entry)], long_run_[index(entry)]); }

  const ExpertCache* policy_;
  std::int64_t slots_;
  std::int64_t held_ = 0;
  std::uint64_t now_ = 0;
  EvictionQueue queue_;
  std::vector<CacheUse> uses_;
  std::vector<std::uint64_t> long_run_;
};

}  // namespace servecast
