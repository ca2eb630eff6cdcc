#pragma once
#include <QWidget>
#include <functional>

#include "gui/data/report/report.h"

class QComboBox;
class QLabel;
class QPushButton;
class QSlider;
class QTableWidget;
class QTimer;

namespace servecast::gui {

class ClusterCanvas;
class TimePlot;

/// The cluster at a moment of the run, and what is known of the GPU or the link that was clicked.
class ClusterView final : public QWidget {
  Q_OBJECT

 public:
  explicit ClusterView(QWidget* parent = nullptr);

  void show_report(Report* report);
  void set_time(double time_s);
  void choose_gpu(int gpu);

 private:
  QWidget* make_controls();
  QWidget* make_panel();
  void show_time();
  void show_gpu(int gpu);
  void show_link(const std::vector<std::size_t>& links);
  void show_batch();
  void fill_flows(const std::function<bool(std::size_t row)>& wanted);
  void play_on();

  Report* report_ = nullptr;
  double time_s_ = 0;
  int replica_ = -1;                                                // of the GPU that was clicked
  Column sample_time_s_{}, running_{}, waiting_{}, kv_{}, busy_{};  // of that replica
  ClusterCanvas* canvas_ = nullptr;
  QSlider* slider_ = nullptr;
  QLabel* time_ = nullptr;
  QPushButton* play_ = nullptr;
  QComboBox* colour_ = nullptr;
  QTimer* timer_ = nullptr;
  QLabel* title_ = nullptr;
  QLabel* text_ = nullptr;
  QLabel* batch_ = nullptr;
  TimePlot* load_plot_ = nullptr;
  TimePlot* share_plot_ = nullptr;
  QTableWidget* flows_ = nullptr;
};

}  // namespace servecast::gui
