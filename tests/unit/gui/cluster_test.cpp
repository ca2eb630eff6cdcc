// What the cluster says that each GPU does.
#include <gmock/gmock.h>

#include <algorithm>

#include "gui/view/cluster/cluster_canvas.h"
#include "gui/view/cluster/cluster_layout.h"
#include "tests/unit/gui/report_files.h"

namespace servecast::gui::cluster_test {

/// Five GPUs: a replica each on four, and a free one.
Platform five_gpus() {
  Platform platform;
  platform.nodes = {{.name = "node0", .kind = "dgx_h100"}};
  for (int i = 0; i < 5; ++i) {
    const std::string gpu = "node0/gpu" + std::to_string(i);
    platform.gpus.push_back({.name = gpu, .kind = "h100", .node = "node0"});
    if (i < 4) platform.replicas.push_back({.replica = i, .pool = "chat", .gpus = {gpu}});
  }
  return platform;
}

class Cluster : public testing::Test {
 protected:
  TemporaryFolder folder_;
  ClusterCanvas canvas_;

  void show(const std::string& replicas_csv) {
    const std::string path = write_report(folder_, "r");
    put_text(path + "/platform.json", to_json(five_gpus()));
    put_text(path + "/replicas.csv", replicas_csv);
    report_ = std::make_unique<Report>(path, "0.1.0");
    ASSERT_TRUE(report_->replicas) << report_->notice;
    canvas_.show_report(report_.get());
  }
  std::string doing(std::size_t gpu) const { return canvas_.doing(gpu).toStdString(); }

  std::unique_ptr<Report> report_{};
};

TEST_F(Cluster, TellsBrokenUnrentedAndIdleGpusApart) {
  show(
      "time_s,replica,pool,running,waiting,kv_used_fraction,busy_fraction,state\n"
      "0,0,chat,0,0,0,0.4,serving\n0,1,chat,0,0,0,0,serving\n0,2,chat,0,0,0,0,broken\n0,3,chat,0,0,0,0,off\n"
      "1,0,chat,0,0,0.2,0,draining\n1,1,chat,0,0,0,0,serving\n1,2,chat,0,0,0,0,starting\n1,3,chat,0,0,0,0,warm\n");
  canvas_.set_time(0);
  EXPECT_EQ(doing(0), "40 %");
  EXPECT_EQ(doing(1), "idle");
  EXPECT_EQ(doing(2), "broken");
  EXPECT_EQ(doing(3), "off");
  EXPECT_EQ(doing(4), "free");
  canvas_.set_time(1);
  canvas_.set_colour(ColourBy::kv);
  EXPECT_EQ(doing(0), "20 %");
  EXPECT_EQ(doing(1), "0 %");
  EXPECT_EQ(doing(2), "starting");
  EXPECT_EQ(doing(3), "warm");
}

/// Written before replicas.csv had states.
TEST_F(Cluster, ReadsReportsWithoutStates) {
  show("time_s,replica,pool,running,waiting,kv_used_fraction,busy_fraction\n0,0,chat,0,0,0,0.4\n0,1,chat,0,0,0,0\n");
  canvas_.set_time(0);
  EXPECT_EQ(doing(0), "40 %");
  EXPECT_EQ(doing(1), "idle");
}

/// Two groups of a node each, with a switch each and a link between them.
Platform two_groups() {
  Platform p;
  p.groups = {{.name = "fast", .nodes = {"node0"}}, {.name = "slow", .nodes = {"node1"}}};
  const auto add = [&](const std::string& name, const std::string& kind, const std::string& a, const std::string& b) {
    p.links.push_back({.name = name + "/in", .kind = kind, .from = b, .to = a});
    p.links.push_back({.name = name + "/out", .kind = kind, .from = a, .to = b});
  };
  add("storage", "storage", "fabric", "storage");
  add("trunk0", "trunk", "switch-fast", "switch-slow");
  for (const std::string node : {"node0", "node1"}) {
    p.nodes.push_back({.name = node, .kind = "box"});
    p.gpus.push_back({.name = node + "/gpu0", .kind = "h100", .node = node});
    add(node + "/nic0", "nic", node, node == "node0" ? "switch-fast" : "switch-slow");
  }
  return p;
}

TEST(ClusterLayout, DrawsGroupsAndWhatJoinsThem) {
  const ClusterLayout layout = lay_out(two_groups(), QSizeF(1200, 700));
  const auto box = [](const std::vector<ClusterLayout::Box>& boxes, const QString& text) {
    return std::ranges::find_if(boxes, [&](const ClusterLayout::Box& b) { return b.text.contains(text); })->place;
  };
  EXPECT_EQ(layout.nodes[0].text.toStdString(), "node0  ·  fast  ·  box");
  EXPECT_EQ(layout.nodes[1].text.toStdString(), "node1  ·  slow  ·  box");
  const QRectF fast = box(layout.parts, "switch-fast");
  const QRectF slow = box(layout.parts, "switch-slow");
  const QRectF storage = box(layout.parts, "storage");
  const auto joins = [&](const QRectF& a, const QRectF& b) {
    return std::ranges::count_if(layout.links, [&](const ClusterLayout::Link& link) {
      const auto ends = [&](const QRectF& first, const QRectF& second) {
        return first.adjusted(-1, -1, 1, 1).contains(link.line.p1()) &&
               second.adjusted(-1, -1, 1, 1).contains(link.line.p2());
      };
      return ends(a, b) || ends(b, a);
    });
  };
  EXPECT_EQ(joins(fast, slow), 1);
  EXPECT_EQ(joins(storage, fast), 1);
  EXPECT_EQ(joins(storage, slow), 1);
  EXPECT_EQ(joins(fast, layout.nodes[0].place), 1);
  EXPECT_EQ(joins(slow, layout.nodes[1].place), 1);
  EXPECT_EQ(joins(fast, layout.nodes[1].place), 0);
}

}  // namespace servecast::gui::cluster_test
