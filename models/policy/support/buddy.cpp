#include "models/policy/support/buddy.h"

#include <bit>
#include <cassert>

namespace servecast {
namespace {

std::size_t order_of(std::int64_t blocks) {
  return static_cast<std::size_t>(std::bit_width(static_cast<std::uint64_t>(blocks)) - 1);
}

}  // namespace

std::int64_t Buddy::rounded(std::int64_t blocks) {
  return static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(blocks)));
}

// A number of blocks that is no power of two begins as several runs, the longest first, so that each lies at a
// multiple of its length.
void Buddy::resize(std::int64_t blocks) {
  free_.assign(64, {});
  std::int64_t place = 0;
  while (place < blocks) {
    const std::size_t order = order_of(blocks - place);
    free_[order].insert(place);
    place += std::int64_t{1} << order;
  }
}

std::optional<std::int64_t> Buddy::take(std::int64_t blocks) {
  assert(blocks > 0);
  const std::size_t wanted = order_of(rounded(blocks));
  std::size_t order = wanted;
  while (order < free_.size() && free_[order].empty()) ++order;
  if (order == free_.size()) return std::nullopt;
  const std::int64_t place = free_[order].extract(free_[order].begin()).value();
  while (order > wanted) {
    --order;
    free_[order].insert(place + (std::int64_t{1} << order));
  }
  return place;
}

void Buddy::give_back(std::int64_t place, std::int64_t blocks) {
  std::size_t order = order_of(rounded(blocks));
  while (free_[order].erase(place ^ (std::int64_t{1} << order)) > 0) {
    place &= ~(std::int64_t{1} << order);
    ++order;
  }
  free_[order].insert(place);
}

}  // namespace servecast
