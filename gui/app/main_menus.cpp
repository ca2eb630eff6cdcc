// The menus of the main window and what they ask for.
#include <QActionGroup>
#include <QApplication>
#include <QDir>
#include <QFileDialog>
#include <QMenuBar>
#include <QMessageBox>

#include "gui/app/main_window.h"
#include "gui/data/program.h"
#include "gui/view/plot_export.h"
#include "gui/view/theme.h"
#include "models/base/error.h"
#include "servecast_version.h"

namespace servecast::gui {

void MainWindow::make_menus() {
  make_file_menu();
  auto* edit = menuBar()->addMenu(tr("&Edit"));
  auto* undo = edit->addAction(tr("&Undo"), QKeySequence::Undo, &document_, &ScenarioDocument::undo);
  auto* redo = edit->addAction(tr("&Redo"), QKeySequence::Redo, &document_, &ScenarioDocument::redo);
  const auto enable = [this, undo, redo] {
    undo->setEnabled(document_.can_undo());
    redo->setEnabled(document_.can_redo());
  };
  connect(&document_, &ScenarioDocument::changed, this, enable);
  enable();

  auto* view = menuBar()->addMenu(tr("&View"));
  const QStringList names{tr("Scenario"), tr("Run"), tr("Cluster"), tr("Requests"), tr("Compare")};
  for (int i = 0; i < names.size(); ++i)
    view->addAction(names[i], QKeySequence(Qt::CTRL | (Qt::Key_1 + i)), this,
                    [this, i] { go(static_cast<View>(i)); });
  view->addSeparator();
  auto* dark = view->addAction(tr("&Dark"));
  dark->setCheckable(true);
  dark->setShortcut(QKeySequence(Qt::CTRL | Qt::Key_D));
  dark->setChecked(theme_of(QApplication::palette()).dark);
  connect(dark, &QAction::toggled, this, &MainWindow::set_dark);

  auto* run_menu = menuBar()->addMenu(tr("&Run"));
  run_menu->addAction(tr("&Run"), QKeySequence(Qt::CTRL | Qt::Key_R), this, &MainWindow::run);
  run_menu->addAction(tr("&Cancel"), QKeySequence(Qt::CTRL | Qt::Key_Period), &simulation_, &Simulation::cancel);

  auto* help = menuBar()->addMenu(tr("&Help"));
  help->addAction(tr("&About Servecast"), this, [this] {
    QMessageBox::about(this, "Servecast",
                       tr("Servecast %1\nForecasts LLM serving before anyone buys a GPU.\nApache-2.0").arg(version));
  });
}

void MainWindow::make_file_menu() {
  auto* file = menuBar()->addMenu(tr("&File"));
  file->addAction(tr("&Open scenario…"), QKeySequence::Open, this, &MainWindow::ask_for_scenario);
  add_bundled(*file->addMenu(tr("&Examples")));
  file->addAction(tr("Open &report…"), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_O), this,
                  &MainWindow::ask_for_report);
  file->addSeparator();
  file->addAction(tr("&Save scenario"), QKeySequence::Save, this, &MainWindow::save);
  file->addAction(tr("Save scenario &as…"), QKeySequence::SaveAs, this, &MainWindow::save_as);
  file->addAction(tr("&Export all plots…"), QKeySequence(Qt::CTRL | Qt::Key_E), this, &MainWindow::export_all_plots);
  file->addSeparator();
  file->addAction(tr("&Quit"), QKeySequence::Quit, this, &QWidget::close);
}

void MainWindow::add_bundled(QMenu& menu) {
  for (const QFileInfo& scenario : bundled_scenarios())
    menu.addAction(scenario.completeBaseName(), this, [this, scenario] { open_scenario(scenario.filePath()); });
  menu.setEnabled(!menu.isEmpty());
}

void MainWindow::ask_for_scenario() {
  const QString file = QFileDialog::getOpenFileName(this, tr("Open scenario"), {}, tr("Scenarios (*.yaml *.yml)"));
  if (!file.isEmpty()) open_scenario(file);
}

void MainWindow::ask_for_report() {
  const QString folder = QFileDialog::getExistingDirectory(this, tr("Open report"), runs_folder());
  if (!folder.isEmpty() && open_report(folder)) go(View::run);
}

void MainWindow::save() {
  try {
    document_.save();
  } catch (const UserError& error) {
    tell(QString::fromStdString(error.what()));
  }
}

void MainWindow::save_as() {
  const QString file =
      QFileDialog::getSaveFileName(this, tr("Save scenario"), document_.file(), tr("Scenarios (*.yaml)"));
  if (file.isEmpty()) return;
  try {
    document_.save_as(file);
  } catch (const UserError& error) {
    tell(QString::fromStdString(error.what()));
  }
}

void MainWindow::export_all_plots() {
  const QString folder = QFileDialog::getExistingDirectory(this, tr("Export all plots"));
  if (folder.isEmpty()) return;
  try {
    export_all(*this, folder);
  } catch (const UserError& error) {
    tell(QString::fromStdString(error.what()));
  }
}

}  // namespace servecast::gui
