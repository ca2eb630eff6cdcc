#pragma once
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "models/base/ids.h"
#include "models/policy/caches/eviction_queue.h"
#include "models/policy/eviction.h"
#include "models/policy/request.h"

namespace servecast {

/// A run of a prompt's tokens that is kept below the GPU's memory; see PrefixListener.
struct TierUnit {
  BlockHash name = 0;
  std::int64_t tokens = 0;
  ReplicaId owner{};      // the replica that wrote it: it lies in its node, where a tier spans several
  std::int64_t rank = 0;  // of the owner: which of its GPUs did
};

/// One tier of KV memory: units by name, up to a capacity. Anything may leave at any time; what it was worth depends
/// on what stands in front of it, which the caller knows, as it looks units up in order.
class TierStore {
 public:
  TierStore(std::int64_t capacity_tokens, std::unique_ptr<Eviction> eviction);

  /// The unit, or nothing where it is not here (any more). Looking changes nothing.
  const TierUnit* find(BlockHash name, double now_s) const;
  /// It was found and is fetched. It may have left since then, for what made room where it is fetched to.
  void use(BlockHash name, double now_s);
  /// Takes a unit in, unless it is here already or longer than the whole store. Returns what left for it.
  std::vector<TierUnit> put(const TierUnit& unit, double now_s);

  /// What this replica wrote is gone.
  void forget(ReplicaId owner);

  std::int64_t used_tokens() const { return used_; }
  std::int64_t capacity_tokens() const { return capacity_; }
  std::int64_t written_tokens() const { return written_; }  // taken in so far
  std::int64_t dropped_tokens() const { return dropped_; }  // that left or grew too old

 private:
  struct Entry {
    TierUnit unit{};
    std::uint64_t entered = 0;
    std::uint64_t uses = 0;
    double used_s = 0;
  };
  Entry& at(CacheEntry number) { return entries_[index(number)]; }
  void rank(CacheEntry number, double now_s);
  TierUnit drop_first() { return drop(may_leave_.first()); }
  TierUnit drop(CacheEntry number);

  std::unique_ptr<Eviction> eviction_;
  double lifetime_s_;
  std::int64_t capacity_;
  std::int64_t used_ = 0;
  std::int64_t written_ = 0;
  std::int64_t dropped_ = 0;
  std::uint64_t now_ = 0;  // of CacheUse
  std::vector<Entry> entries_{};
  std::vector<CacheEntry> unused_{};
  std::unordered_map<BlockHash, CacheEntry> numbers_{};  // looked up, never walked through
  EvictionQueue may_leave_{};
};

}  // namespace servecast
