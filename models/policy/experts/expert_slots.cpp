#include "models/policy/experts/expert_slots.h"

#include <algorithm>
#include <numeric>

namespace servecast {

ExpertSlots::ExpertSlots(std::int64_t slots, const ExpertCache& policy, std::vector<std::uint64_t> long_run_uses)
    : policy_(&policy),
      slots_(std::min(slots, static_cast<std::int64_t>(long_run_uses.size()))),
      queue_(long_run_uses.size()),
      uses_(long_run_uses.size()),
      long_run_(std::move(long_run_uses)) {}

bool ExpertSlots::use(CacheEntry entry, std::uint64_t next_use) {
  ++now_;
  if (!holds(entry)) {
    enter(entry, next_use);
    return false;
  }
  CacheUse& use = uses_[index(entry)];
  use.now = now_;
  use.uses += 1;
  use.next_use = next_use;
  queue_.withdraw(entry);
  queue_.offer(entry, rank(entry));
  return true;
}

void ExpertSlots::enter(CacheEntry entry, std::uint64_t next_use) {
  uses_[index(entry)] = {.now = now_, .entered = now_, .next_use = next_use};
  if (held_ == slots_) {
    if (slots_ == 0 || (policy_->newcomers_compete() && queue_.first_rank() >= rank(entry))) return;
    queue_.withdraw(queue_.first());
    --held_;
  }
  queue_.offer(entry, rank(entry));
  ++held_;
}

void ExpertSlots::fill() {
  std::vector<std::uint32_t> order(long_run_.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, std::greater<>(), [&](std::uint32_t entry) { return long_run_[entry]; });
  for (auto i = static_cast<std::size_t>(slots_); i-- > 0;) use(CacheEntry{order[i]});
}

void ExpertSlots::clear() {
  while (!queue_.empty()) queue_.withdraw(queue_.first());
  held_ = 0;
}

}  // namespace servecast
