#pragma once
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "models/policy/caches/tier_store.h"
#include "models/policy/kv_cache.h"

namespace servecast {

/// When a tier is written: as soon as a unit is computed, or when it leaves the tier above.
enum class TierWrite : std::uint8_t { through, on_evict };

/// What a fetch reads from one place: so many tokens of a tier, written by one rank of a replica.
struct KvSource {
  std::size_t tier = 0;
  ReplicaId owner{};
  std::int64_t tokens = 0;
  std::int64_t rank = 0;
  bool same_place(const KvSource& o) const { return tier == o.tier && owner == o.owner && rank == o.rank; }
  bool operator==(const KvSource&) const = default;
};

/// One unit on its way into a tier.
struct KvWrite {
  std::size_t tier = 0;
  std::optional<std::size_t> from_tier{};  // none: from the GPUs
  TierUnit unit{};
};

/// Carries units into tiers.
class TierWrites {
 public:
  virtual ~TierWrites() = default;
  /// It wants to be there from now on, which is also the caller's instant; KvTiers::written() is called when it is.
  virtual void write(ReplicaId replica, const KvWrite& write) = 0;
};

/// Where a prompt goes on, in order, below the GPU's memory.
struct TierHits {
  std::int64_t from_tokens = 0;  // where the first unit begins
  std::vector<KvSource> sources{};
};

/// A tier that all replicas of a pool share. They do not step in the order of time, so writes are noted down and
/// carried out in that order (by replica where they fall together) before the tier is read: a reader at an instant
/// sees what was written before it.
class SharedTier {
 public:
  SharedTier(std::int64_t capacity_tokens, std::unique_ptr<Eviction> eviction)
      : store_(capacity_tokens, std::move(eviction)) {}

  void write(const TierUnit& unit, double now_s) { noted_.push_back({now_s, unit}); }
  /// As of `now_s`; requires that all replicas have come as far. Valid until the next call.
  TierStore& store_at(double now_s);
  /// What this replica wrote is gone, at an instant to which all have come.
  void forget(ReplicaId owner, double now_s);
  const TierStore& store() const { return store_; }

 private:
  struct Noted {
    double at_s = 0;
    TierUnit unit{};
  };
  TierStore store_;
  std::vector<Noted> noted_{};  // those of one replica in the order of time
};

/// The tiers below one replica's GPU memory, the fastest first: its own, and last perhaps one that it shares.
class KvTiers final : public PrefixListener {
 public:
  struct Tier {
    TierWrite write = TierWrite::through;
    std::unique_ptr<TierStore> own{};  // or
    SharedTier* shared = nullptr;      // which outlives this
  };
  /// `ranks` of the replica have requests of their own, and each a part of the KV (rank_of()).
  KvTiers(ReplicaId me, std::vector<Tier> tiers, std::int64_t ranks = 1);

  /// Over what units are written; it outlives this. Without it they are there at once.
  void connect(TierWrites& links) { links_ = &links; }
  /// Before anything else at that instant.
  void set_clock(double now_s) { now_s_ = now_s; }
  void computed(RequestId by, BlockHash unit, std::int64_t tokens) override;
  void dropped(BlockHash unit, std::int64_t tokens) override;
  /// Writes what was computed. Until then it is only noted, so that the beginning of a prompt is written last: what
  /// was written longest ago leaves first, and the end of a prompt is worth nothing without its beginning.
  void write_computed() { write(take_computed()); }
  /// The same in two steps, where what was noted will be computed by the end of a batch.
  std::vector<TierUnit> take_computed() { return std::exchange(computed_, {}); }
  void write(std::span<const TierUnit> computed);
  /// A unit is to be written over the links, at an instant to which its replica has been advanced, and with a shared
  /// tier all have. False where it is in its tier already: then nothing moves.
  bool begins_write(const KvWrite& write, double now_s);
  /// Units have been written; likewise.
  void written(std::span<const KvWrite> writes, double now_s);

  /// What follows the first `cached_tokens` tokens of the prompt, which the GPU has; `block_tokens` are those of its
  /// cache.
  TierHits find(const Request& request, std::int64_t cached_tokens, std::int64_t block_tokens);
  /// The first `tokens` tokens of `hits` are fetched.
  void fetch(const Request& request, std::int64_t block_tokens, const TierHits& hits, std::int64_t tokens);

  std::size_t size() const { return tiers_.size(); }
  const Tier& operator[](std::size_t tier) const { return tiers_[tier]; }
  std::int64_t fetched_tokens(std::size_t tier) const { return fetched_[tier]; }

 private:
  TierStore& store(std::size_t tier);
  void write(const KvWrite& write);
  void written(const KvWrite& write);
  TierUnit unit_of(RequestId by, BlockHash name, std::int64_t tokens);
  TierUnit unit_that_leaves(BlockHash name, std::int64_t tokens);

  ReplicaId me_;
  std::int64_t ranks_;
  TierWrites* links_ = nullptr;
  std::vector<Tier> tiers_;
  std::vector<std::int64_t> fetched_;                           // tokens, by tier
  std::vector<TierUnit> computed_{};                            // at this instant and not yet written
  std::unordered_map<BlockHash, std::int64_t> rank_of_unit_{};  // on the GPUs; empty where there is one rank
  double now_s_ = 0;
};

}  // namespace servecast
