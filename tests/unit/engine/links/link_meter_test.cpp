// Bytes over links second by second, against max-min shares solved by hand.
#include "sim/engine/links/link_meter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/engine/run/run.h"
#include "sim/report/csv/detail_csv.h"
#include "sim/report/record/platform.h"

namespace servecast::link_meter_test {

using testing::DoubleNear;
using testing::ElementsAre;

struct Heard final : DetailListener {
  std::map<std::string, std::vector<double>> bytes{};
  std::map<std::string, std::vector<double>> used{};
  void link(const LinkSample& s) override {
    std::vector<double>& seconds = bytes[std::string(s.link)];
    seconds.resize(static_cast<std::size_t>(s.time_s));
    seconds.push_back(s.bytes);
    used[std::string(s.link)].push_back(s.used_fraction);
  }
};

Platform links_of(const std::vector<double>& bytes_per_s) {
  Platform platform;
  for (std::size_t i = 0; i < bytes_per_s.size(); ++i)
    platform.links.push_back(
        {.name = "link" + std::to_string(i), .kind = "", .from = "", .to = "", .bytes_per_s = bytes_per_s[i]});
  return platform;
}

Transfer over(std::vector<std::size_t> links, double bytes) {
  return {.path = {.links = std::move(links)}, .bytes = bytes};
}

auto near(double value) { return DoubleNear(value, 1e-3); }

// The flows of Network.SharesFollowFlowsThatJoinAndLeave, which solves them by hand.
TEST(LinkMeter, FollowsFlowsThatJoinAndLeave) {
  const Platform platform = links_of({10, 4, 6});
  LinkMeter meter(platform);
  const Transfer a = over({0, 1}, 10), b = over({0, 2}, 9), c = over({1}, 3), d = over({2}, 6);
  meter.begins(a, 0);
  meter.begins(b, 1);
  meter.begins(c, 2);
  meter.begins(d, 2);
  meter.ended(a, 3);
  meter.ended(b, 3);
  meter.ended(c, 3.25);
  meter.ended(d, 3.5);
  Heard heard;
  meter.report(heard);
  EXPECT_THAT(heard.bytes["link0"], ElementsAre(near(4), near(10), near(5)));
  EXPECT_THAT(heard.bytes["link1"], ElementsAre(near(4), near(4), near(4), near(1)));
  EXPECT_THAT(heard.bytes["link2"], ElementsAre(near(0), near(6), near(6), near(3)));
  EXPECT_THAT(heard.used["link1"], ElementsAre(near(1), near(1), near(1), near(0.25)));
}

TEST(LinkMeter, SpreadsAFlowOverItsSeconds) {
  const Platform platform = links_of({2});
  LinkMeter meter(platform);
  const Transfer flow = over({0}, 8);
  meter.begins(flow, 0.5);
  meter.ended(flow, 4.5);
  Heard heard;
  meter.report(heard);
  EXPECT_THAT(heard.bytes["link0"], ElementsAre(near(1), near(2), near(2), near(2), near(1)));
}

// An end is noticed up to a microsecond late; the bytes of a flow as short as that are all there.
TEST(LinkMeter, LosesNoBytesOfShortFlows) {
  const Platform platform = links_of({1e9});
  LinkMeter meter(platform);
  const Transfer flow = over({0}, 700);
  for (int i = 0; i < 1000; ++i) {
    meter.begins(flow, i * 1e-5);
    meter.ended(flow, i * 1e-5 + (i % 2 == 0 ? 1e-6 : 0.5e-6));
  }
  Heard heard;
  meter.report(heard);
  EXPECT_THAT(heard.bytes["link0"], ElementsAre(near(700e3)));
}

}  // namespace servecast::link_meter_test
