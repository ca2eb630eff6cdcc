#include "gui/view/pages/run_progress.h"

#include <QFileInfo>
#include <QHBoxLayout>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>

#include "gui/view/parts/parts.h"
#include "sim/report/layout/human.h"

namespace servecast::gui {
namespace {

constexpr int steps_of_bar = 1000;

}  // namespace

RunProgress::RunProgress(Simulation& simulation, QWidget* parent) : QFrame(parent), simulation_(simulation) {
  setObjectName("card");
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(12, 6, 12, 6);
  name_ = muted_label();
  bar_ = new QProgressBar;
  bar_->setRange(0, steps_of_bar);
  counters_ = wrapped_label("muted");
  auto* cancel = new QPushButton(tr("Cancel"));
  connect(cancel, &QPushButton::clicked, &simulation_, &Simulation::cancel);
  row->addWidget(name_);
  row->addWidget(bar_, 1);
  row->addWidget(counters_, 1);
  row->addWidget(cancel);
  hide();
  connect(&simulation_, &Simulation::started, this, &RunProgress::begin);
  connect(&simulation_, &Simulation::progressed, this, &RunProgress::show_progress);
  connect(&simulation_, &Simulation::finished, this, &QWidget::hide);
  connect(&simulation_, &Simulation::cancelled, this, &QWidget::hide);
  connect(&simulation_, &Simulation::failed, this, &QWidget::hide);
}

void RunProgress::begin() {
  name_->setText(QFileInfo(simulation_.order().folder).fileName());
  bar_->setValue(0);
  counters_->setText(tr("reading the scenario"));
  show();
}

void RunProgress::show_progress(const Progress& progress) {
  bar_->setValue(static_cast<int>(progress.fraction * steps_of_bar));
  QStringList parts;
  if (progress.eta_s) parts << tr("%1 left").arg(QString::fromStdString(human::span(*progress.eta_s)));
  if (progress.simulated_s > 0)  // with replicates, progress is how many are done
    parts << tr("%1 simulated · %2 arrived · %3 finished")
                 .arg(QString::fromStdString(human::span(progress.simulated_s)),
                      QString::fromStdString(human::count(progress.arrived)),
                      QString::fromStdString(human::count(progress.finished)));
  counters_->setText(parts.join(" · "));
}

}  // namespace servecast::gui
