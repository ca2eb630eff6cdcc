#pragma once
#include <QFrame>

#include "gui/data/runs/simulation.h"

class QLabel;
class QProgressBar;

namespace servecast::gui {

/// How far the run under way is, how long it still takes, and the button that ends it; seen only while one runs.
class RunProgress final : public QFrame {
  Q_OBJECT

 public:
  explicit RunProgress(Simulation& simulation, QWidget* parent = nullptr);

 private:
  void begin();
  void show_progress(const Progress& progress);

  Simulation& simulation_;
  QLabel* name_ = nullptr;
  QProgressBar* bar_ = nullptr;
  QLabel* counters_ = nullptr;
};

}  // namespace servecast::gui
