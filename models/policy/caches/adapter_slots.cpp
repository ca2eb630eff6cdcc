#include "models/policy/caches/adapter_slots.h"

#include <cassert>

namespace servecast {

std::size_t AdapterSlots::find(AdapterId adapter) const {
  std::size_t i = 0;
  while (i < slots_.size() && (slots_[i].last_used == 0 || slots_[i].adapter != adapter)) ++i;
  return i;
}

std::size_t AdapterSlots::oldest_unused() const {
  std::size_t oldest = slots_.size();
  for (std::size_t i = 0; i < slots_.size(); ++i)
    if (slots_[i].users == 0 && (oldest == slots_.size() || slots_[i].last_used < slots_[oldest].last_used))
      oldest = i;
  return oldest;
}

bool AdapterSlots::take(AdapterId adapter) {
  std::size_t at = find(adapter);
  const bool here = at != slots_.size();
  if (!here) {
    at = oldest_unused();
    assert(at != slots_.size());
    slots_[at] = {.adapter = adapter};
  }
  Entry& entry = slots_[at];
  entry.last_used = ++uses_;
  if (++entry.users == 1) ++in_use_;
  return here;
}

void AdapterSlots::leave(AdapterId adapter) {
  Entry& entry = slots_[find(adapter)];
  assert(entry.users > 0);
  if (--entry.users == 0) --in_use_;
}

}  // namespace servecast
