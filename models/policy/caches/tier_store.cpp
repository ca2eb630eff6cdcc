#include "models/policy/caches/tier_store.h"

#include <utility>

namespace servecast {

TierStore::TierStore(std::int64_t capacity_tokens, std::unique_ptr<Eviction> eviction)
    : eviction_(std::move(eviction)), lifetime_s_(eviction_->lifetime_s()), capacity_(capacity_tokens) {}

const TierUnit* TierStore::find(BlockHash name, double now_s) const {
  const auto found = numbers_.find(name);
  if (found == numbers_.end()) return nullptr;
  const Entry& entry = entries_[index(found->second)];
  return now_s - entry.used_s <= lifetime_s_ ? &entry.unit : nullptr;
}

void TierStore::use(BlockHash name, double now_s) {
  const auto found = numbers_.find(name);
  if (found == numbers_.end()) return;
  may_leave_.withdraw(found->second);
  rank(found->second, now_s);
}

std::vector<TierUnit> TierStore::put(const TierUnit& unit, double now_s) {
  std::vector<TierUnit> left;
  // With a lifetime, those used longest ago are the first to leave.
  while (!may_leave_.empty() && now_s - at(may_leave_.first()).used_s > lifetime_s_) left.push_back(drop_first());
  if (unit.tokens > capacity_ || numbers_.contains(unit.name)) return left;
  while (used_ + unit.tokens > capacity_) left.push_back(drop_first());
  CacheEntry number{static_cast<std::uint32_t>(entries_.size())};
  if (unused_.empty()) {
    entries_.emplace_back();
  } else {
    number = unused_.back();
    unused_.pop_back();
  }
  at(number) = {.unit = unit, .entered = now_ + 1};
  numbers_[unit.name] = number;
  used_ += unit.tokens;
  written_ += unit.tokens;
  rank(number, now_s);
  return left;
}

/// It is used now, and may leave from then on.
void TierStore::rank(CacheEntry number, double now_s) {
  Entry& entry = at(number);
  entry.used_s = now_s;
  may_leave_.offer(number, eviction_->rank({.now = ++now_, .entered = entry.entered, .uses = ++entry.uses}));
}

void TierStore::forget(ReplicaId owner) {
  for (std::uint32_t i = 0; i < entries_.size(); ++i)
    if (may_leave_.contains(CacheEntry{i}) && entries_[i].unit.owner == owner) drop(CacheEntry{i});
}

TierUnit TierStore::drop(CacheEntry number) {
  may_leave_.withdraw(number);
  const TierUnit unit = at(number).unit;
  numbers_.erase(unit.name);
  unused_.push_back(number);
  used_ -= unit.tokens;
  dropped_ += unit.tokens;
  return unit;
}

}  // namespace servecast
