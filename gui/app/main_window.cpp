#include "gui/app/main_window.h"

#include <QApplication>
#include <QDir>
#include <QLabel>
#include <QListWidget>
#include <QScreen>
#include <QStackedWidget>
#include <QStandardPaths>
#include <QVBoxLayout>
#include <QWindow>

#include "gui/data/words/tip.h"
#include "gui/view/cluster/cluster_view.h"
#include "gui/view/pages/calibration_view.h"
#include "gui/view/pages/compare_view.h"
#include "gui/view/pages/dashboard.h"
#include "gui/view/pages/plan_view.h"
#include "gui/view/pages/requests_view.h"
#include "gui/view/pages/run_progress.h"
#include "gui/view/pages/run_view.h"
#include "gui/view/parts/parts.h"
#include "gui/view/parts/theme.h"
#include "gui/view/scenario/scenario_view.h"
#include "models/base/error.h"
#include "servecast_version.h"
#include "sim/plan/report/plan_report.h"

namespace servecast::gui {

MainWindow::MainWindow() {
  setWindowTitle("Servecast");
  resize(QSize(1360, 880).boundedTo(screen()->availableSize()));
  make_views();
  auto* centre = new QWidget;
  auto* row = new QHBoxLayout(centre);
  row->setContentsMargins(6, 12, 14, 14);
  row->setSpacing(10);
  row->addWidget(make_side());
  auto* column = new QVBoxLayout;
  column->setSpacing(10);
  notice_ = wrapped_label("notice");
  notice_->hide();
  column->addWidget(notice_);
  column->addWidget(new RunProgress(simulation_));
  column->addWidget(views_, 1);
  row->addLayout(column, 1);
  setCentralWidget(centre);
  make_menus();

  connect(&document_, &ScenarioDocument::changed, this, &MainWindow::show_document_state);
  connect(&simulation_, &Simulation::finished, this, [this](const QString& folder) {
    if (open_report(folder)) go(View::run);
  });
  connect(&simulation_, &Simulation::cancelled, this,
          [this] { tell(tr("The run was cancelled. Earlier reports are untouched.")); });
  connect(&simulation_, &Simulation::failed, this, &MainWindow::tell);
  for (const auto signal : {&Simulation::started, &Simulation::cancelled})
    connect(&simulation_, signal, this, &MainWindow::show_document_state);
  connect(&simulation_, &Simulation::failed, this, &MainWindow::show_document_state);
  connect(&simulation_, &Simulation::finished, this, &MainWindow::show_document_state);
  connect(run_view_, &RunView::run_wanted, this, &MainWindow::run);
  connect(plan_view_, &PlanView::design_wanted, this, &MainWindow::open_design);
  connect(&run_view_->dashboard(), &Dashboard::chosen_changed, requests_view_, &RequestsView::set_chosen);
  connect(requests_view_, &RequestsView::all_wanted, this, [this] { run_view_->dashboard().set_brush({}); });
  show_document_state();
  show_comparison();
  go(View::scenario);
}

MainWindow::~MainWindow() = default;

void MainWindow::make_views() {
  views_ = new QStackedWidget;
  scenario_view_ = new ScenarioView(document_);
  run_view_ = new RunView(simulation_);
  cluster_view_ = new ClusterView;
  requests_view_ = new RequestsView;
  compare_view_ = new CompareView;
  plan_view_ = new PlanView;
  calibration_view_ = new CalibrationView;
  for (QWidget* view : std::initializer_list<QWidget*>{scenario_view_, run_view_, cluster_view_, requests_view_,
                                                       compare_view_, plan_view_, calibration_view_})
    views_->addWidget(view);
}

QStringList MainWindow::view_titles() {
  return {tr("Scenario"), tr("Run"), tr("Cluster"), tr("Requests"), tr("Compare"), tr("Plan"), tr("Calibration")};
}

QWidget* MainWindow::make_side() {
  auto* side = new QWidget;
  side->setFixedWidth(190);
  auto* column = new QVBoxLayout(side);
  column->setContentsMargins(0, 0, 0, 0);
  navigation_ = new QListWidget;
  navigation_->setObjectName("navigation");
  navigation_->addItems(view_titles());
  navigation_->setFixedHeight(40 * navigation_->count());
  connect(navigation_, &QListWidget::currentRowChanged, views_, &QStackedWidget::setCurrentIndex);
  auto* heading = new QLabel(tr("Reports"));
  heading->setObjectName("muted");
  heading->setContentsMargins(12, 0, 0, 0);
  report_list_ = new QListWidget;
  report_list_->setToolTip(tr("Click to show; tick to compare"));
  connect(report_list_, &QListWidget::currentRowChanged, this, [this](int row) {
    if (row >= 0) show_current(reports_[static_cast<std::size_t>(row)].get());
  });
  connect(report_list_, &QListWidget::itemChanged, this, &MainWindow::show_comparison);
  column->addWidget(navigation_);
  column->addWidget(heading);
  column->addWidget(report_list_, 1);
  return side;
}

void MainWindow::go(View view) { navigation_->setCurrentRow(static_cast<int>(view)); }

QString MainWindow::notice() const { return notice_->isHidden() ? QString() : notice_->text(); }

void MainWindow::tell(const QString& text) {
  notice_->setText(text);
  notice_->setVisible(!text.isEmpty());
}

bool MainWindow::open_report(const QString& folder) {
  QApplication::setOverrideCursor(Qt::WaitCursor);
  try {
    reports_.push_back(std::make_unique<Report>(QDir::cleanPath(folder).toStdString(), version));
    QApplication::restoreOverrideCursor();
  } catch (const UserError& error) {
    QApplication::restoreOverrideCursor();
    tell(QString::fromStdString(error.what()));
    return false;
  }
  add_to_list(*reports_.back());
  return true;
}

void MainWindow::add_to_list(const Report& report) {
  auto* item = new QListWidgetItem(QString::fromStdString(report.label));
  item->setFlags(item->flags() | Qt::ItemIsUserCheckable);
  item->setCheckState(Qt::Checked);
  item->setToolTip(as_tip(QString::fromStdString(report.summary.name + "\n" + report.folder)));
  report_list_->addItem(item);
  report_list_->setCurrentItem(item);
  show_comparison();
}

void MainWindow::close_report() {
  const int row = report_list_->currentRow();
  if (row < 0) return;
  show_current(nullptr);
  const auto closed = std::move(reports_[static_cast<std::size_t>(row)]);  // lives until no view shows it
  reports_.erase(reports_.begin() + row);
  const QSignalBlocker quiet(report_list_);
  delete report_list_->takeItem(row);
  if (!reports_.empty()) show_current(reports_[static_cast<std::size_t>(report_list_->currentRow())].get());
  show_comparison();
}

void MainWindow::show_current(Report* report) {
  current_ = report;
  tell(report ? QString::fromStdString(report->notice) : QString());
  run_view_->show_empty(report == nullptr);
  requests_view_->show_report(report);
  cluster_view_->show_report(report);
  run_view_->dashboard().show_report(report);
}

void MainWindow::show_comparison() {
  std::vector<Report*> ticked;
  for (int i = 0; i < report_list_->count(); ++i)
    if (report_list_->item(i)->checkState() == Qt::Checked)
      ticked.push_back(reports_[static_cast<std::size_t>(i)].get());
  compare_view_->show_reports(ticked);
}

void MainWindow::compare(const std::vector<int>& reports) {
  for (int i = 0; i < report_list_->count(); ++i)
    report_list_->item(i)->setCheckState(std::ranges::find(reports, i) != reports.end() ? Qt::Checked
                                                                                        : Qt::Unchecked);
  go(View::compare);
}

bool MainWindow::open_scenario(const QString& file) {
  try {
    document_.open(QFileInfo(file).absoluteFilePath());
  } catch (const UserError& error) {
    tell(QString::fromStdString(error.what()));
    return false;
  }
  tell({});
  go(View::scenario);
  return true;
}

bool MainWindow::open_residuals(const QString& file) {
  try {
    calibration_view_->show_residuals(read_residuals(file.toStdString()));
  } catch (const UserError& error) {
    tell(QString::fromStdString(error.what()));
    return false;
  }
  tell({});
  go(View::calibration);
  return true;
}

bool MainWindow::open_plan(const QString& file) {
  try {
    plan_view_->show_plan(read_plan_tables(file.toStdString()));
  } catch (const UserError& error) {
    tell(QString::fromStdString(error.what()));
    return false;
  }
  tell({});
  go(View::plan);
  return true;
}

/// The scenario that the plan started from, with this design's settings as edits that are not saved.
void MainWindow::open_design(const PlanDesign& design) {
  if (!may_lose_edits() || !open_scenario(QString::fromStdString(plan_view_->plan().scenario_file))) return;
  for (const std::string& setting : design.set) {
    const QString text = QString::fromStdString(setting);
    document_.set(text.section('=', 0, 0), text.section('=', 1));
  }
}

bool MainWindow::open(const QString& path) {
  const QString plan = path + "/plan.sqlite";
  if (QFileInfo::exists(plan)) return open_plan(plan);
  if (path.endsWith(".sqlite")) return open_plan(path);
  if (path.endsWith(".csv")) return open_residuals(path);
  if (!QFileInfo(path).isDir()) return open_scenario(path);
  const bool opened = open_report(path);
  if (opened) go(View::run);
  return opened;
}

void MainWindow::show_document_state() {
  const bool open = !document_.file().isEmpty();
  const QString why_not = !open                          ? tr("Open a scenario first.")
                          : document_.problems().empty() ? QString()
                                                         : tr("The scenario has mistakes.");
  run_view_->set_ready(why_not.isEmpty(), why_not);
  run_action_->setEnabled(why_not.isEmpty() && !simulation_.running());
  cancel_action_->setEnabled(simulation_.running());
  save_action_->setEnabled(open && (document_.edited() || document_.needs_a_name()));
  save_as_action_->setEnabled(open);
  setWindowTitle(open ? QFileInfo(document_.file()).fileName() +
                            (document_.edited() ? "* — Servecast" : " — Servecast")
                      : QString("Servecast"));
}

QString MainWindow::runs_folder() {
  return QStandardPaths::writableLocation(QStandardPaths::GenericDataLocation) + "/servecast/runs";
}

void MainWindow::run() {
  scenario_view_->commit();
  if (document_.file().isEmpty() || !document_.problems().empty() || simulation_.running()) return;
  const QString name = QFileInfo(document_.file()).completeBaseName();
  QDir runs(runs_folder());
  if (!runs.mkpath(".")) return tell(tr("%1 cannot be made.").arg(runs.path()));
  int number = 1;
  while (runs.exists(QString("%1-%2").arg(name).arg(number))) ++number;
  tell({});
  simulation_.start({.scenario = document_.file(),
                     .text = document_.typed_text(),
                     .edits = document_.settings_set(),
                     .detail = run_view_->detail(),
                     .replicates = run_view_->replicates(),
                     .folder = runs.filePath(QString("%1-%2").arg(name).arg(number))});
}

void MainWindow::set_dark(bool dark) {
  QApplication::setPalette(palette_of(dark));
  qApp->setStyleSheet(style_of(dark));
}

}  // namespace servecast::gui
