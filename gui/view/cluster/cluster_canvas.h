#pragma once
#include <QWidget>
#include <string_view>

#include "gui/data/report/report.h"
#include "gui/view/cluster/cluster_layout.h"

namespace servecast::gui {

enum class ColourBy : std::uint8_t { busy, kv, links };

/// The cluster as it is wired, coloured by what it did in one second.
class ClusterCanvas final : public QWidget {
  Q_OBJECT

 public:
  explicit ClusterCanvas(QWidget* parent = nullptr);

  /// A report with a platform, or none.
  void show_report(const Report* report);
  void set_time(double time_s);
  void set_colour(ColourBy by);
  void select_gpu(int gpu);

  /// Of Platform::replicas; -1 where no replica runs on the GPU.
  int replica_of(std::size_t gpu) const { return replica_of_[gpu]; }

  /// What a GPU does at the moment shown, in a word or as a share: "busy 40 %", "idle", "broken".
  QString doing(std::size_t gpu) const;

 signals:
  void gpu_clicked(int gpu);
  /// Both directions; where all NICs of a node are one line, of each.
  void link_clicked(const std::vector<std::size_t>& links);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  bool event(QEvent* event) override;

 private:
  void lay_out_again();
  void find_links();
  int gpu_at(const QPointF& at) const;
  const ClusterLayout::Link* link_at(const QPointF& at) const;
  double share_of(std::size_t gpu) const;
  std::string_view state_of(std::size_t gpu) const;
  QColor fill_of(std::size_t gpu) const;
  double used(const ClusterLayout::Link& link) const;
  void paint_links(QPainter& painter, bool between_nodes) const;
  void paint_gpus(QPainter& painter) const;
  void paint_scale(QPainter& painter) const;

  const Report* report_ = nullptr;
  ClusterLayout layout_{};
  double time_s_ = 0;
  ColourBy by_ = ColourBy::busy;
  std::vector<int> replica_of_{};             // by GPU
  std::vector<double> busy_{}, kv_{};         // by replica, at time_s_
  std::vector<std::string_view> states_{};    // likewise, as replicas.csv calls them
  std::vector<std::size_t> sampled_links_{};  // of the platform, by the number that links.csv gives them
  std::vector<double> link_used_{};           // by link of the platform
  int selected_gpu_ = -1;
  int selected_link_ = -1;
};

}  // namespace servecast::gui
