#include "calibrate/fit/peer_access.h"

#include <gtest/gtest.h>

#include <set>

namespace servecast::peer_access_test {

/// Sums over 2, 4 and 8 GPUs that each move so many bytes a second.
std::set<std::int64_t> kept(const std::string& op, double of_four, double of_eight) {
  const Flavour flavour{.op = op};
  std::map<Flavour, FlavourCells> all;
  const std::map<std::int64_t, double> rates{{2, 20e9}, {4, of_four}, {8, of_eight}};
  for (const auto& [ranks, rate] : rates)
    for (const std::int64_t bytes : {4096, 8388608}) {
      const double moved = 2 * (1 - 1 / static_cast<double>(ranks)) * static_cast<double>(bytes);
      all[flavour].cells.push_back({.shape = {.bytes = bytes, .ranks = ranks}, .seconds = 5e-6 + moved / rate});
    }
  leave_without_peer_access(all);
  std::set<std::int64_t> ranks;
  for (const Cell& cell : all[flavour].cells) ranks.insert(cell.shape.ranks);
  EXPECT_EQ(all[flavour].left_out_rows, 2 * static_cast<std::int64_t>(3 - ranks.size()));
  return ranks;
}

TEST(PeerAccess, GroupsThatGoThroughTheHostAreLeftOut) {
  EXPECT_EQ(kept("all_reduce", 5e9, 1e9), std::set<std::int64_t>{2});
  EXPECT_EQ(kept("all_reduce", 18e9, 1e9), (std::set<std::int64_t>{2, 4}));
}

TEST(PeerAccess, GroupsAsFastAsPairsStay) {
  EXPECT_EQ(kept("all_reduce", 30e9, 60e9), (std::set<std::int64_t>{2, 4, 8}));
  EXPECT_EQ(kept("all_reduce", 9e9, 9e9), (std::set<std::int64_t>{2, 4, 8}));
}

TEST(PeerAccess, OtherOperatorsStay) { EXPECT_EQ(kept("p2p", 1e9, 1e9), (std::set<std::int64_t>{2, 4, 8})); }

}  // namespace servecast::peer_access_test
