#include "calibrate/measure/cuda/call.h"

#include <algorithm>
#include <numeric>

namespace servecast {

int splits_for(std::int64_t blocks, std::int64_t pieces, int processors) {
  const std::int64_t wanted = (2 * processors + blocks - 1) / blocks;
  return static_cast<int>(std::clamp<std::int64_t>(wanted, 1, std::max<std::int64_t>(pieces, 1)));
}

std::vector<std::int32_t> scattered(std::int64_t blocks, Rng& rng) {
  std::vector<std::int32_t> table(static_cast<std::size_t>(blocks));
  std::iota(table.begin(), table.end(), 0);
  for (std::size_t i = table.size(); i > 1; --i) std::swap(table[i - 1], table[rng.below(i)]);
  return table;
}

}  // namespace servecast
