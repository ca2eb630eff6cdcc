#include "sim/serving/resources/kv_tiers.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "models/hw/llm/shape.h"
#include "models/policy/prefix/prefix_units.h"

namespace servecast {

TierStore& SharedTier::store_at(double now_s) {
  const auto later =
      std::stable_partition(noted_.begin(), noted_.end(), [&](const Noted& noted) { return noted.at_s < now_s; });
  std::ranges::stable_sort(noted_.begin(), later, {},
                           [](const Noted& noted) { return std::tuple(noted.at_s, noted.unit.owner); });
  for (auto noted = noted_.begin(); noted != later; ++noted) store_.put(noted->unit, noted->at_s);
  noted_.erase(noted_.begin(), later);
  return store_;
}

void SharedTier::forget(ReplicaId owner, double now_s) {
  store_at(now_s).forget(owner);
  std::erase_if(noted_, [&](const Noted& noted) { return noted.unit.owner == owner; });
}

KvTiers::KvTiers(ReplicaId me, std::vector<Tier> tiers, std::int64_t ranks)
    : me_(me), ranks_(ranks), tiers_(std::move(tiers)), fetched_(tiers_.size(), 0) {}

/// The replica that computed it has it on the GPUs of its rank.
TierUnit KvTiers::unit_of(RequestId by, BlockHash name, std::int64_t tokens) {
  TierUnit unit{.name = name, .tokens = tokens, .owner = me_, .rank = rank_of(by, ranks_)};
  if (ranks_ > 1) rank_of_unit_[name] = unit.rank;
  return unit;
}

TierUnit KvTiers::unit_that_leaves(BlockHash name, std::int64_t tokens) {
  TierUnit unit{.name = name, .tokens = tokens, .owner = me_};
  if (const auto known = rank_of_unit_.find(name); known != rank_of_unit_.end()) {
    unit.rank = known->second;
    rank_of_unit_.erase(known);
  }
  return unit;
}

void KvTiers::computed(RequestId by, BlockHash unit, std::int64_t tokens) {
  computed_.push_back(unit_of(by, unit, tokens));
}

void KvTiers::dropped(BlockHash unit, std::int64_t tokens) {
  if (!links_) write_computed();
  const TierUnit left = unit_that_leaves(unit, tokens);
  if (tiers_.front().write == TierWrite::on_evict) write({.unit = left});
}

void KvTiers::write(std::span<const TierUnit> computed) {
  for (auto unit = computed.rbegin(); unit != computed.rend(); ++unit)
    for (std::size_t tier = 0; tier < tiers_.size(); ++tier)
      if (tiers_[tier].write == TierWrite::through) write({.tier = tier, .unit = *unit});
}

void KvTiers::write(const KvWrite& write) { links_ ? links_->write(me_, write) : written(write); }

/// It is there: units that leave the tier for it may go on to the next one.
void KvTiers::written(const KvWrite& done) {
  const Tier& tier = tiers_[done.tier];
  if (tier.shared) {
    TierUnit mine = done.unit;
    mine.owner = me_;
    return tier.shared->write(mine, now_s_);
  }
  const std::size_t below = done.tier + 1;
  for (const TierUnit& left : tier.own->put(done.unit, now_s_))
    if (below < tiers_.size() && tiers_[below].write == TierWrite::on_evict)
      write({.tier = below, .from_tier = done.tier, .unit = left});
}

TierStore& KvTiers::store(std::size_t tier) {
  return tiers_[tier].shared ? tiers_[tier].shared->store_at(now_s_) : *tiers_[tier].own;
}

bool KvTiers::begins_write(const KvWrite& write, double now_s) {
  set_clock(now_s);
  if (!store(write.tier).find(write.unit.name, now_s_)) return true;
  written(write);
  return false;
}

void KvTiers::written(std::span<const KvWrite> writes, double now_s) {
  set_clock(now_s);
  for (const KvWrite& write : writes) written(write);
}

TierHits KvTiers::find(const Request& request, std::int64_t cached_tokens, std::int64_t block_tokens) {
  if (!links_) write_computed();
  const PrefixUnits units(request, block_tokens);
  TierHits hits;
  if (units.tokens() == 0) return hits;
  const std::int64_t first = cached_tokens / units.tokens();
  hits.from_tokens = first * units.tokens();
  PrefixName name = units.start();
  for (std::int64_t unit = 0; unit < units.reusable(); ++unit) {
    name = units.name(name, unit);
    if (unit < first) continue;
    const TierUnit* found = nullptr;
    std::size_t tier = 0;
    while (tier < tiers_.size() && (found = store(tier).find(name.value(), now_s_)) == nullptr) ++tier;
    if (!found) return hits;
    const KvSource from{.tier = tier, .owner = found->owner, .rank = found->rank};
    if (hits.sources.empty() || !hits.sources.back().same_place(from)) hits.sources.push_back(from);
    hits.sources.back().tokens += units.tokens();
  }
  return hits;
}

void KvTiers::fetch(const Request& request, std::int64_t block_tokens, const TierHits& hits, std::int64_t tokens) {
  const PrefixUnits units(request, block_tokens);
  struct Use {
    std::size_t tier;
    BlockHash name;
  };
  std::vector<Use> uses;
  PrefixName name = units.start();
  std::int64_t unit = 0;
  for (; unit * units.tokens() < hits.from_tokens; ++unit) name = units.name(name, unit);
  for (const KvSource& source : hits.sources)
    for (std::int64_t i = 0; i < source.tokens && unit * units.tokens() < hits.from_tokens + tokens;
         i += units.tokens(), ++unit) {
      name = units.name(name, unit);
      fetched_[source.tier] += units.tokens();
      uses.push_back({source.tier, name.value()});
    }
  for (auto use = uses.rbegin(); use != uses.rend(); ++use) store(use->tier).use(use->name, now_s_);
}

}  // namespace servecast
