// The network against max-min shares solved by hand. One engine per process: every test here runs in its own.
#include "sim/engine/network.h"

#include <gtest/gtest.h>

#include "sim/engine/simgrid_engine.h"

namespace servecast {
namespace {

struct Wish {
  std::vector<std::size_t> links;
  double bytes = 0;
  double latency_s = 0;
};

/// Ends of flows that all start at 0 over links of these capacities.
std::vector<double> ends_s(const std::vector<double>& bytes_per_s, const std::vector<Wish>& wishes) {
  SimgridEngine engine;
  std::vector<PlatformLink> links;
  for (std::size_t i = 0; i < bytes_per_s.size(); ++i)
    links.push_back(
        {.name = "link" + std::to_string(i), .kind = "", .from = "", .to = "", .bytes_per_s = bytes_per_s[i]});
  Network network(links);
  std::vector<double> ends(wishes.size());
  for (std::size_t i = 0; i < wishes.size(); ++i)
    network.add({{.path = {.links = wishes[i].links, .latency_s = wishes[i].latency_s}, .bytes = wishes[i].bytes}},
                [&ends, i](const std::vector<FinishedTransfer>& done) { ends[i] = done.front().end_s; });
  network.add_actor("nobody", [] {});
  engine.run();
  return ends;
}

TEST(Network, OneFlowTakesLatencyPlusBytesOverBandwidth) {
  EXPECT_NEAR(ends_s({1e9}, {{{0}, 2e9, 0.5}})[0], 2.5, 1e-9);
}

// A TCP window would cap this path at half its rate: 450 GB/s at 10 us.
TEST(Network, AFastPathWithLatencyGetsItsFullRate) {
  EXPECT_NEAR(ends_s({450e9}, {{{0}, 450e9, 10e-6}})[0], 1 + 10e-6, 1e-9);
}

// Shares do not depend on latency: both get half of the link, and both end at 2 s (plus their own delay).
TEST(Network, SharesAreEqualWhateverTheLatency) {
  const auto ends = ends_s({1e9}, {{{0}, 1e9, 2e-6}, {{0}, 1e9, 20e-6}});
  EXPECT_NEAR(ends[0], 2, 1e-4);
  EXPECT_NEAR(ends[1], 2, 1e-4);
}

// Link 0: 10 GB/s, flows A, B, C. Link 1: 2 GB/s, flow A only. Max-min: A is held to 2 by link 1; B and C share the
// other 8 of link 0, 4 each. A has 2 GB: 1 s. B has 4 GB: 1 s. C has 14 GB: 4 by 1 s, then alone at 10: 2 s.
TEST(Network, SharesAreMaxMinFair) {
  const auto ends = ends_s({10e9, 2e9}, {{{0, 1}, 2e9}, {{0}, 4e9}, {{0}, 14e9}});
  EXPECT_NEAR(ends[0], 1, 1e-6);
  EXPECT_NEAR(ends[1], 1, 1e-6);
  EXPECT_NEAR(ends[2], 2, 1e-6);
}

}  // namespace
}  // namespace servecast
