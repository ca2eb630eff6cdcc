#include "gui/view/pages/run_view.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QSpinBox>

#include "gui/view/pages/dashboard.h"

namespace servecast::gui {

RunView::RunView(Simulation& simulation, QWidget* parent) : QWidget(parent), simulation_(simulation) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(10);
  column->addWidget(make_controls());
  dashboard_ = new Dashboard;
  empty_ = new QLabel(tr("Open a scenario and press Run, or open a report folder."));
  empty_->setObjectName("muted");
  empty_->setAlignment(Qt::AlignCenter);
  column->addWidget(dashboard_, 1);
  column->addWidget(empty_, 1);
  show_empty(true);
  for (const auto signal : {&Simulation::started, &Simulation::cancelled})
    connect(&simulation_, signal, this, &RunView::show_state);
  connect(&simulation_, &Simulation::finished, this, &RunView::show_state);
  connect(&simulation_, &Simulation::failed, this, &RunView::show_state);
  show_state();
}

QWidget* RunView::make_controls() {
  auto* bar = new QWidget;
  auto* row = new QHBoxLayout(bar);
  row->setContentsMargins(0, 0, 0, 0);
  run_ = new QPushButton(tr("Run"));
  run_->setObjectName("primary");
  connect(run_, &QPushButton::clicked, this, &RunView::run_wanted);
  detail_ = new QComboBox;
  detail_->addItem(tr("Detail: cluster"), "replicas,links,flows");
  detail_->addItem(tr("Detail: cluster and every batch"), "replicas,links,flows,steps");
  detail_->addItem(tr("Detail: none"), "");
  detail_->setToolTip(tr("What to write beside the report: the cluster second by second, every batch (large)"));
  replicates_ = new QSpinBox;
  replicates_->setRange(0, 100);
  replicates_->setSpecialValueText(tr("no intervals"));
  replicates_->setSuffix(tr(" replicates"));
  replicates_->setToolTip(tr("Repeat the run with other draws of the calibration, for 90 % intervals"));
  row->addWidget(run_);
  row->addWidget(detail_);
  row->addWidget(replicates_);
  row->addStretch();
  return bar;
}

QString RunView::detail() const { return detail_->currentData().toString(); }
int RunView::replicates() const { return replicates_->value(); }

void RunView::set_ready(bool ready, const QString& why_not) {
  ready_ = ready;
  run_->setToolTip(why_not);
  show_state();
}

void RunView::show_empty(bool empty) {
  empty_->setVisible(empty);
  dashboard_->setVisible(!empty);
}

void RunView::show_state() {
  const bool running = simulation_.running();
  run_->setEnabled(ready_ && !running);
  for (QWidget* widget : std::initializer_list<QWidget*>{detail_, replicates_}) widget->setEnabled(!running);
}

}  // namespace servecast::gui
