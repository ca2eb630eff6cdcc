#include "calibrate/fit/peer_access.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

namespace servecast {
namespace {

constexpr std::array<std::string_view, 4> collectives{"all_reduce", "all_gather", "reduce_scatter", "all_to_all"};
constexpr double least_share = 1.0 / 3;  // of the rate of two

/// The most that each GPU of a group as large moves in a second.
std::map<std::int64_t, double> rates(const OperatorKind& kind, const std::vector<Cell>& cells) {
  std::map<std::int64_t, double> most;
  for (const Cell& cell : cells) {
    double& rate = most[cell.shape.ranks];
    rate = std::max(rate, kind.work(cell.shape, {}).bytes / cell.seconds);
  }
  return most;
}

}  // namespace

void leave_without_peer_access(std::map<Flavour, FlavourCells>& all) {
  for (auto& [flavour, of] : all) {
    if (std::ranges::find(collectives, flavour.op) == collectives.end()) continue;
    std::map<std::int64_t, double> rate = rates(*operator_kind(flavour.op), of.cells);
    const double least = least_share * rate[2];
    of.left_out_rows += static_cast<std::int64_t>(
        std::erase_if(of.cells, [&](const Cell& cell) { return rate[cell.shape.ranks] < least; }));
  }
}

}  // namespace servecast
