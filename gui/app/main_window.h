#pragma once
#include <QMainWindow>
#include <memory>
#include <vector>

#include "gui/data/report/report.h"
#include "gui/data/runs/simulation.h"
#include "gui/data/scenario/scenario_document.h"

class QLabel;
class QListWidget;
class QStackedWidget;

namespace servecast {
struct PlanDesign;
}

namespace servecast::gui {

class CalibrationView;
class ClusterView;
class CompareView;
class PlanView;
class RequestsView;
class RunView;
class ScenarioView;

/// The views of the window, in the order of the list on the left.
enum class View : std::uint8_t { scenario, run, cluster, requests, compare, plan, calibration };
inline constexpr std::array<const char*, 7> view_names{"scenario", "run",  "cluster",    "requests",
                                                       "compare",  "plan", "calibration"};

class MainWindow final : public QMainWindow {
  Q_OBJECT

 public:
  MainWindow();
  ~MainWindow() override;

  /// All say in the window what is wrong, if anything, and return whether all was well.
  bool open_report(const QString& folder);
  bool open_scenario(const QString& file);
  bool open_residuals(const QString& file);
  bool open_plan(const QString& file);
  /// By what it is: a folder of a plan or a report, a plan.sqlite, residuals (.csv), a scenario.
  bool open(const QString& path);
  /// Takes the report that is shown out of the list; its files stay.
  void close_report();
  void go(View view);
  /// Which reports are compared, by their number in the list.
  void compare(const std::vector<int>& reports);
  /// Runs what the scenario says, into a folder of its own below `runs_folder()`.
  void run();
  /// Saves the scenario; under a new name, which it asks for, where it has none of its own.
  void save();
  void save_as();
  /// Where runs are kept.
  static QString runs_folder();
  void set_dark(bool dark);

  Report* current() { return current_; }
  ScenarioView& scenario_view() { return *scenario_view_; }
  RunView& run_view() { return *run_view_; }
  ClusterView& cluster_view() { return *cluster_view_; }
  RequestsView& requests_view() { return *requests_view_; }
  CompareView& compare_view() { return *compare_view_; }
  PlanView& plan_view() { return *plan_view_; }
  CalibrationView& calibration_view() { return *calibration_view_; }
  Simulation& simulation() { return simulation_; }
  ScenarioDocument& document() { return document_; }
  QString notice() const;

 protected:
  void closeEvent(QCloseEvent* event) override;

 private:
  static QStringList view_titles();
  QWidget* make_side();
  void make_views();
  void make_menus();
  QList<QAction*> make_file_menu();
  void make_edit_menu();
  void make_view_menu();
  void add_bundled(QMenu& menu);
  bool may_lose_edits();
  void show_current(Report* report);
  void show_comparison();
  void show_document_state();
  void add_to_list(const Report& report);
  void tell(const QString& text);
  void ask_for_scenario();
  void ask_for_report();
  void ask_for_plan();
  void ask_for_residuals();
  void open_design(const PlanDesign& design);
  void export_all_plots();

  ScenarioDocument document_{};
  Simulation simulation_{};
  std::vector<std::unique_ptr<Report>> reports_{};
  Report* current_ = nullptr;
  QAction* run_action_ = nullptr;
  QAction* cancel_action_ = nullptr;
  QAction* save_action_ = nullptr;
  QAction* save_as_action_ = nullptr;
  QListWidget* navigation_ = nullptr;
  QListWidget* report_list_ = nullptr;
  QLabel* notice_ = nullptr;
  QStackedWidget* views_ = nullptr;
  ScenarioView* scenario_view_ = nullptr;
  RunView* run_view_ = nullptr;
  ClusterView* cluster_view_ = nullptr;
  RequestsView* requests_view_ = nullptr;
  CompareView* compare_view_ = nullptr;
  PlanView* plan_view_ = nullptr;
  CalibrationView* calibration_view_ = nullptr;
};

}  // namespace servecast::gui
