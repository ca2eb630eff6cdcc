#pragma once
#include <QWidget>

#include "gui/data/runs/simulation.h"

class QComboBox;
class QLabel;
class QPushButton;
class QSpinBox;

namespace servecast::gui {

class Dashboard;

/// Starts a run, and shows what came out.
class RunView final : public QWidget {
  Q_OBJECT

 public:
  explicit RunView(Simulation& simulation, QWidget* parent = nullptr);

  Dashboard& dashboard() { return *dashboard_; }
  /// There is a scenario that can be run.
  void set_ready(bool ready, const QString& why_not);
  QString detail() const;
  int replicates() const;
  void show_empty(bool empty);

 signals:
  void run_wanted();

 private:
  QWidget* make_controls();
  void show_state();

  Simulation& simulation_;
  QPushButton* run_ = nullptr;
  QComboBox* detail_ = nullptr;
  QSpinBox* replicates_ = nullptr;
  QLabel* empty_ = nullptr;
  Dashboard* dashboard_ = nullptr;
  bool ready_ = false;
};

}  // namespace servecast::gui
