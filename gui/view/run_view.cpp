#include "gui/view/run_view.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QSpinBox>

#include "gui/data/quantity.h"
#include "gui/view/dashboard.h"
#include "gui/view/parts.h"
#include "sim/report/human.h"

namespace servecast::gui {

RunView::RunView(Simulation& simulation, QWidget* parent) : QWidget(parent), simulation_(simulation) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(10);
  column->addWidget(make_controls());
  notice_ = wrapped_label("notice");
  notice_->hide();
  column->addWidget(notice_);
  dashboard_ = new Dashboard;
  empty_ = new QLabel(tr("Open a scenario and press Run, or open a report folder."));
  empty_->setObjectName("muted");
  empty_->setAlignment(Qt::AlignCenter);
  column->addWidget(dashboard_, 1);
  column->addWidget(empty_, 1);
  show_empty(true);
  connect(&simulation_, &Simulation::progressed, this, &RunView::show_progress);
  connect(&simulation_, &Simulation::finished, this, &RunView::show_state);
  connect(&simulation_, &Simulation::cancelled, this, [this] {
    show_state();
    show_notice(tr("The run was cancelled. Earlier reports are untouched."));
  });
  connect(&simulation_, &Simulation::failed, this, [this](const QString& message) {
    show_state();
    show_notice(message);
  });
  show_state();
}

QWidget* RunView::make_controls() {
  auto* bar = new QWidget;
  auto* row = new QHBoxLayout(bar);
  row->setContentsMargins(0, 0, 0, 0);
  run_ = new QPushButton(tr("Run"));
  run_->setObjectName("primary");
  connect(run_, &QPushButton::clicked, this, [this] {
    show_notice({});
    emit run_wanted();
    show_state();
  });
  cancel_ = new QPushButton(tr("Cancel"));
  connect(cancel_, &QPushButton::clicked, &simulation_, &Simulation::cancel);
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
  progress_ = new QProgressBar;
  progress_->setRange(0, 1000);
  counters_ = muted_label();
  row->addWidget(run_);
  row->addWidget(cancel_);
  row->addWidget(detail_);
  row->addWidget(replicates_);
  row->addWidget(progress_, 1);
  row->addWidget(counters_);
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

void RunView::show_notice(const QString& text) {
  notice_->setText(text);
  notice_->setVisible(!text.isEmpty());
}

void RunView::show_empty(bool empty) {
  empty_->setVisible(empty);
  dashboard_->setVisible(!empty);
}

void RunView::show_progress(const Progress& progress) {
  progress_->setValue(static_cast<int>(progress.fraction * 1000));
  QString text = tr("%1 simulated · %2 arrived · %3 finished")
                     .arg(QString::fromStdString(human::span(progress.simulated_s)),
                          QString::fromStdString(human::count(progress.arrived)),
                          QString::fromStdString(human::count(progress.finished)));
  if (progress.eta_s) text += tr(" · %1 left").arg(QString::fromStdString(human::span(*progress.eta_s)));
  counters_->setText(text);
}

void RunView::show_state() {
  const bool running = simulation_.running();
  run_->setEnabled(ready_ && !running);
  cancel_->setVisible(running);
  progress_->setVisible(running);
  counters_->setVisible(running);
  for (QWidget* widget : std::initializer_list<QWidget*>{detail_, replicates_}) widget->setEnabled(!running);
  if (running) progress_->setValue(0);
}

}  // namespace servecast::gui
