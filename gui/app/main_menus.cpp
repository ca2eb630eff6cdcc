// The menus of the main window and what they ask for.
#include <QApplication>
#include <QCloseEvent>
#include <QDir>
#include <QFileDialog>
#include <QMenuBar>
#include <QMessageBox>
#include <QStackedWidget>

#include "gui/app/main_window.h"
#include "gui/data/runs/program.h"
#include "gui/view/parts/theme.h"
#include "gui/view/plots/plot_export.h"
#include "gui/view/scenario/scenario_view.h"
#include "models/base/error.h"
#include "servecast_version.h"

namespace servecast::gui {

void MainWindow::make_menus() {
  QList<QAction*> buttons = make_file_menu();
  make_edit_menu();
  make_view_menu();
  auto* run_menu = menuBar()->addMenu(tr("&Run"));
  run_action_ = run_menu->addAction(tr("Run"), QKeySequence(Qt::CTRL | Qt::Key_R), this, &MainWindow::run);
  cancel_action_ =
      run_menu->addAction(tr("&Cancel"), QKeySequence(Qt::CTRL | Qt::Key_Period), &simulation_, &Simulation::cancel);
  auto* help = menuBar()->addMenu(tr("&Help"));
  help->addAction(tr("&About Servecast"), this, [this] {
    QMessageBox::about(this, "Servecast",
                       tr("Servecast %1\nForecasts LLM serving before you buy a GPU.\nApache-2.0").arg(version));
  });
  buttons << run_action_;
  scenario_view_->set_buttons(buttons);
}

void MainWindow::make_edit_menu() {
  auto* edit = menuBar()->addMenu(tr("&Edit"));
  auto* undo = edit->addAction(tr("&Undo"), QKeySequence::Undo, &document_, &ScenarioDocument::undo);
  auto* redo = edit->addAction(tr("&Redo"), QKeySequence::Redo, &document_, &ScenarioDocument::redo);
  const auto enable = [this, undo, redo] {
    undo->setEnabled(document_.can_undo());
    redo->setEnabled(document_.can_redo());
  };
  connect(&document_, &ScenarioDocument::changed, this, enable);
  enable();
}

void MainWindow::make_view_menu() {
  auto* view = menuBar()->addMenu(tr("&View"));
  const QStringList names = view_titles();
  for (int i = 0; i < names.size(); ++i)
    view->addAction(names[i], QKeySequence(Qt::CTRL | (Qt::Key_1 + i)), this,
                    [this, i] { go(static_cast<View>(i)); });
  view->addSeparator();
  auto* dark = view->addAction(tr("&Dark"));
  dark->setCheckable(true);
  dark->setShortcut(QKeySequence(Qt::CTRL | Qt::Key_D));
  dark->setChecked(theme_of(QApplication::palette()).dark);
  connect(dark, &QAction::toggled, this, &MainWindow::set_dark);
}

/// Gives the actions that also stand above the scenario.
QList<QAction*> MainWindow::make_file_menu() {
  auto* file = menuBar()->addMenu(tr("&File"));
  auto* open = file->addAction(tr("&Open scenario…"), QKeySequence::Open, this, &MainWindow::ask_for_scenario);
  auto* examples = file->addMenu(tr("&Examples"));
  add_bundled(*examples);
  file->addAction(tr("Open &report…"), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_O), this,
                  &MainWindow::ask_for_report);
  file->addAction(tr("Open &plan…"), this, &MainWindow::ask_for_plan);
  file->addAction(tr("Open res&iduals…"), this, &MainWindow::ask_for_residuals);
  file->addAction(tr("&Close report"), QKeySequence::Close, this, &MainWindow::close_report);
  file->addSeparator();
  save_action_ = file->addAction(tr("&Save scenario"), QKeySequence::Save, this, &MainWindow::save);
  save_as_action_ = file->addAction(tr("Save scenario &as…"), QKeySequence::SaveAs, this, &MainWindow::save_as);
  file->addAction(tr("&Export plots of this view…"), QKeySequence(Qt::CTRL | Qt::Key_E), this,
                  &MainWindow::export_all_plots);
  file->addSeparator();
  file->addAction(tr("&Quit"), QKeySequence::Quit, this, &QWidget::close);
  return {open, examples->menuAction(), save_action_};
}

void MainWindow::add_bundled(QMenu& menu) {
  for (const QFileInfo& scenario : bundled_scenarios())
    menu.addAction(scenario.completeBaseName().replace('&', "&&"), this, [this, scenario] {
      if (may_lose_edits()) open_scenario(scenario.filePath());
    });
  menu.setEnabled(!menu.isEmpty());
}

void MainWindow::ask_for_scenario() {
  if (!may_lose_edits()) return;
  const QString file = QFileDialog::getOpenFileName(this, tr("Open scenario"), {}, tr("Scenarios (*.yaml *.yml)"));
  if (!file.isEmpty()) open_scenario(file);
}

/// Asks what shall become of edits that are not saved; false: stay.
bool MainWindow::may_lose_edits() {
  scenario_view_->commit();
  if (!document_.edited()) return true;
  const auto answer =
      QMessageBox::question(this, tr("Save scenario"), tr("The scenario has edits that are not saved."),
                            QMessageBox::Save | QMessageBox::Discard | QMessageBox::Cancel);
  if (answer == QMessageBox::Save) save();
  return answer == QMessageBox::Discard || !document_.edited();
}

void MainWindow::closeEvent(QCloseEvent* event) {
  if (!may_lose_edits()) event->ignore();
}

void MainWindow::ask_for_report() {
  const QString folder = QFileDialog::getExistingDirectory(this, tr("Open report"), runs_folder());
  if (!folder.isEmpty() && open_report(folder)) go(View::run);
}

void MainWindow::ask_for_plan() {
  const QString file = QFileDialog::getOpenFileName(this, tr("Open plan"), {}, tr("Plans (*.sqlite)"));
  if (!file.isEmpty()) open_plan(file);
}

void MainWindow::ask_for_residuals() {
  const QString file = QFileDialog::getOpenFileName(this, tr("Open residuals"), {}, tr("Residuals (*.csv)"));
  if (!file.isEmpty()) open_residuals(file);
}

void MainWindow::save() {
  scenario_view_->commit();
  if (document_.needs_a_name()) return save_as();
  try {
    document_.save();
  } catch (const UserError& error) {
    tell(QString::fromStdString(error.what()));
  }
}

void MainWindow::save_as() {
  scenario_view_->commit();
  const QString name = QFileInfo(document_.file()).fileName();
  const QString there = document_.needs_a_name() ? QDir::home().filePath(name) : document_.file();
  const QString file = QFileDialog::getSaveFileName(this, tr("Save scenario"), there, tr("Scenarios (*.yaml)"));
  if (file.isEmpty()) return;
  try {
    const QStringList moved = document_.save_as(file);
    tell(moved.isEmpty() ? QString() : tr("Changed, so that the copy finds its files: %1").arg(moved.join(", ")));
  } catch (const UserError& error) {
    tell(QString::fromStdString(error.what()));
  }
}

void MainWindow::export_all_plots() {
  const QString folder = QFileDialog::getExistingDirectory(this, tr("Export plots"));
  if (folder.isEmpty()) return;
  try {
    export_all(*views_->currentWidget(), folder);
  } catch (const UserError& error) {
    tell(QString::fromStdString(error.what()));
  }
}

}  // namespace servecast::gui
