// The network against max-min shares solved by hand. One engine per process: every test here runs in its own.
#include "sim/engine/links/network.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <string>

#include "models/policy/request.h"
#include "sim/engine/links/simgrid_engine.h"
#include "sim/report/record/platform.h"

namespace servecast::network_test {

struct Wish {
  std::vector<std::size_t> links;
  double bytes = 0;
  double latency_s = 0;
  double start_s = 0;
  double cancelled_s = Request::forever;
};

/// Ends of flows over links of these capacities. Each is noticed at the next whole 2^-20 s.
std::vector<double> ends_s(const std::vector<double>& bytes_per_s, const std::vector<Wish>& wishes) {
  SimgridEngine engine;
  std::vector<PlatformLink> links;
  for (std::size_t i = 0; i < bytes_per_s.size(); ++i)
    links.push_back(
        {.name = "link" + std::to_string(i), .kind = "", .from = "", .to = "", .bytes_per_s = bytes_per_s[i]});
  Network network(links);
  Flows flows;
  flows.set_carrier(network);
  std::vector<double> ends(wishes.size());
  std::map<double, std::int64_t> cancels;  // group by time
  for (std::size_t i = 0; i < wishes.size(); ++i) {
    const auto group = flows.start(
        {{.path = {.links = wishes[i].links, .latency_s = wishes[i].latency_s}, .bytes = wishes[i].bytes}},
        wishes[i].start_s, [&ends, i](double now_s) { ends[i] = now_s; });
    if (wishes[i].cancelled_s < Request::forever) cancels.emplace(wishes[i].cancelled_s, group);
  }
  network.add_actor("driver", [&] {
    while (!flows.idle()) {
      const double at_s = std::min(flows.next_s(), cancels.empty() ? Request::forever : cancels.begin()->first);
      if (network.wait_until(at_s)) {
        flows.report_ended(at_s);
        for (; !cancels.empty() && cancels.begin()->first <= at_s; cancels.erase(cancels.begin()))
          flows.cancel(cancels.begin()->second, at_s);
        flows.begin_due(at_s);
      }
      for (const EndedFlow& flow : network.take_ended()) flows.ended(flow);
    }
  });
  engine.run();
  return ends;
}

constexpr double notice_s = 1e-6;

TEST(Network, OneFlowTakesLatencyPlusBytesOverBandwidth) {
  EXPECT_NEAR(ends_s({1e9}, {{{0}, 2e9, 0.5}})[0], 2.5, notice_s);
}

// A TCP window would cap this path at half its rate: 450 GB/s at 10 us.
TEST(Network, AFastPathWithLatencyGetsItsFullRate) {
  EXPECT_NEAR(ends_s({450e9}, {{{0}, 450e9, 10e-6}})[0], 1 + 10e-6, notice_s);
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
  EXPECT_NEAR(ends[0], 1, notice_s);
  EXPECT_NEAR(ends[1], 1, notice_s);
  EXPECT_NEAR(ends[2], 2, notice_s);
}

// Three links of 10, 4 and 6 GB/s; flows join and leave.
//   A over 0 and 1, 10 GB, from 0;  B over 0 and 2, 9 GB, from 1;  C over 1, 3 GB, from 2;  D over 2, 6 GB, from 2
//   0 to 1   A alone: 4 (link 1)                                                  A has 4
//   1 to 2   A 4 (link 1), B 6 (link 2; link 0 has just that left)                A 8, B 6
//   2 to 3   link 1: A 2, C 2; link 2: B 3, D 3; link 0 carries 5 of 10           A 10: ends at 3; B 9: ends at 3;
//                                                                                 C 2, D 3
//   3 to     C alone: 4, D alone: 6                                               C ends at 3.25, D at 3.5
TEST(Network, SharesFollowFlowsThatJoinAndLeave) {
  const auto ends = ends_s({10e9, 4e9, 6e9}, {{.links = {0, 1}, .bytes = 10e9},
                                              {.links = {0, 2}, .bytes = 9e9, .start_s = 1},
                                              {.links = {1}, .bytes = 3e9, .start_s = 2},
                                              {.links = {2}, .bytes = 6e9, .start_s = 2}});
  EXPECT_NEAR(ends[0], 3, notice_s);
  EXPECT_NEAR(ends[1], 3, notice_s);
  EXPECT_NEAR(ends[2], 3.25, 2 * notice_s);
  EXPECT_NEAR(ends[3], 3.5, 2 * notice_s);
}

// A path without links is a delay: from one part of a server's memory to another.
// A and B share a link of 1 GB/s until A is broken off at 1 s: B has 0.5 GB by then, and the rest at the full rate. C
// is broken off before it begins, and D when it has ended.
TEST(Network, WhatIsBrokenOffLeavesItsLinksToOthers) {
  const auto ends = ends_s({1e9, 1e9}, {{.links = {0}, .bytes = 5e9, .cancelled_s = 1},
                                        {.links = {0}, .bytes = 2e9},
                                        {.links = {0}, .bytes = 9e9, .start_s = 1.5, .cancelled_s = 1.25},
                                        {.links = {1}, .bytes = 1e9, .cancelled_s = 2}});
  EXPECT_EQ(ends[0], 0) << "no end is reported";
  EXPECT_NEAR(ends[1], 2.5, notice_s);
  EXPECT_EQ(ends[2], 0);
  EXPECT_NEAR(ends[3], 1, notice_s);
}

// Links as the images of replicas cross them that start when a switch is whole again (drawn scenario 3017203).
TEST(Network, WhatEndsAtTheInstantItIsBrokenOffIsBrokenOff) {
  const auto ends = ends_s({5e9, 5e9}, {{.links = {0}, .bytes = 1e10, .start_s = 8},
                                        {.links = {1}, .bytes = 1e10, .start_s = 8, .cancelled_s = 10}});
  EXPECT_NEAR(ends[0], 10, notice_s);
  EXPECT_EQ(ends[1], 0);
}

// Each flow under way has a stack to wait on: 5,000 of them would take 40 GB if it were SimGrid's usual one.
TEST(Network, ManyFlowsTakeLittleMemory) {
  const auto most_kb = [] {  // of address space, so far
    std::ifstream status("/proc/self/status");
    std::int64_t kb = 0;
    for (std::string word; kb == 0 && status >> word;)
      if (word == "VmPeak:") status >> kb;
    return kb;
  };
  const std::int64_t before_kb = most_kb();
  std::vector<Wish> many(5000, {.links = {0}, .bytes = 1e6});
  EXPECT_NEAR(ends_s({1e9}, many).back(), 5, 1e-3);
  EXPECT_LT(most_kb() - before_kb, 2'000'000);
}

TEST(Network, WithoutLinksThereIsOnlyTheDelay) {
  EXPECT_EQ(ends_s({1e9}, {{.links = {}, .bytes = 1e9, .latency_s = 0.25, .start_s = 0.5}})[0], 0.75);
}

// A thousand flows over one link, one millisecond after the other, each done before the next: waiters are used again.
TEST(Network, OneFlowAfterTheOther) {
  std::vector<Wish> wishes;
  for (int i = 0; i < 1000; ++i) wishes.push_back({.links = {0}, .bytes = 5e5, .start_s = i * 1e-3});
  const auto ends = ends_s({1e9}, wishes);
  for (int i = 0; i < 1000; ++i) ASSERT_NEAR(ends[static_cast<std::size_t>(i)], i * 1e-3 + 5e-4, notice_s) << i;
}

}  // namespace servecast::network_test
