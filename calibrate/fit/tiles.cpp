#include "calibrate/fit/tiles.h"

#include <algorithm>
#include <map>
#include <vector>

namespace servecast {
namespace {

constexpr std::int64_t tile = 256;
constexpr double least_growth = 1.1;       // of the time over a tile: less tells nothing of what it goes by
constexpr std::int64_t least_side = 2048;  // narrower products leave GPUs idle

}  // namespace

std::int64_t tile_rows(std::span<const Cell> products) {
  std::map<KernelShape, double> seconds;
  for (const Cell& cell : products) seconds[cell.shape] = cell.seconds;
  const auto measured = [&](KernelShape shape, std::int64_t m) {
    shape.m = m;
    const auto found = seconds.find(shape);
    return found == seconds.end() ? 0.0 : found->second;
  };
  std::vector<double> further_tiles;
  for (const auto& [shape, one_more_s] : seconds) {
    if (shape.m <= tile || shape.m % tile != 1 || std::min(shape.n, shape.k) < least_side) continue;
    const double before_s = measured(shape, shape.m - 1);
    const double after_s = measured(shape, shape.m - 1 + tile);
    if (before_s > 0 && after_s > least_growth * before_s)
      further_tiles.push_back((one_more_s - before_s) / (after_s - before_s));
  }
  if (further_tiles.empty()) return 0;
  const auto middle = further_tiles.begin() + static_cast<std::ptrdiff_t>(further_tiles.size() / 2);
  std::ranges::nth_element(further_tiles, middle);
  return *middle > 0.5 ? tile : 0;
}

}  // namespace servecast
