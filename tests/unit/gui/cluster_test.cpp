// What the cluster says that each GPU does.
#include <gmock/gmock.h>

#include "gui/view/cluster_canvas.h"
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
  show("time_s,replica,pool,running,waiting,kv_used_fraction,busy_fraction,state\n"
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

}  // namespace servecast::gui::cluster_test
