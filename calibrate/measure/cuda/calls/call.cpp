#include "calibrate/measure/cuda/calls/call.h"

#include <numeric>
#include <utility>

namespace servecast {

std::vector<std::int32_t> scattered(std::int64_t blocks, Rng& rng) {
  std::vector<std::int32_t> table(static_cast<std::size_t>(blocks));
  std::iota(table.begin(), table.end(), 0);
  for (std::size_t i = table.size(); i > 1; --i) std::swap(table[i - 1], table[rng.below(i)]);
  return table;
}

}  // namespace servecast
