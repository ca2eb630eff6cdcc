#include "sim/input/trace/cache/prefix_set.h"

#include "models/base/mixed_bits.h"

namespace servecast {

std::size_t PrefixSet::add(std::span<const BlockHash> blocks) {
  std::uint64_t key = 1;
  std::size_t known = 0;
  bool all_known = true;
  for (const BlockHash block : blocks) {
    key = mixed_bits(key * 0x9e3779b97f4a7c15u + block + 1);
    all_known = !insert(key == 0 ? 1 : key) && all_known;
    if (all_known) ++known;
  }
  return known;
}

bool PrefixSet::insert(std::uint64_t key) {
  const std::size_t mask = slots_.size() - 1;  // the size is a power of two
  std::size_t at = key & mask;
  while (slots_[at] != 0 && slots_[at] != key) at = (at + 1) & mask;
  if (slots_[at] == key) return false;
  slots_[at] = key;
  if (2 * ++used_ > slots_.size()) grow();
  return true;
}

void PrefixSet::grow() {
  const std::vector<std::uint64_t> old = std::move(slots_);
  slots_.assign(2 * old.size(), 0);
  const std::size_t mask = slots_.size() - 1;
  for (const std::uint64_t key : old) {
    if (key == 0) continue;
    std::size_t at = key & mask;
    while (slots_[at] != 0) at = (at + 1) & mask;
    slots_[at] = key;
  }
}

}  // namespace servecast
