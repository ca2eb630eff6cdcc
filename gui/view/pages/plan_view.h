#pragma once
#include <QWidget>
#include <optional>

#include "gui/data/tables/plan_model.h"
#include "sim/plan/report/plan_report.h"

class QLabel;
class QLineEdit;
class QTableView;

namespace servecast::gui {

class ScatterPlot;

/// The designs of a plan by cost against P99 and by tokens/s per user against tokens/s per GPU, each with the front
/// of those that none beats; a table of them all; why the chosen one won or lost.
class PlanView final : public QWidget {
  Q_OBJECT

 public:
  explicit PlanView(QWidget* parent = nullptr);

  void show_plan(PlanReport plan);
  /// Shows a design, by its place in the report.
  void choose(std::size_t design);
  /// Requires that one is shown.
  const PlanReport& plan() const { return *plan_; }
  const PlanModel& model() const { return *model_; }
  ScatterPlot& costs() { return *costs_; }

 signals:
  /// A double click: shall be opened as a scenario.
  void design_wanted(const servecast::PlanDesign& design);

 private:
  using Figure = std::optional<double> PlanDesign::*;
  struct Scatter {
    ScatterPlot* plot;
    Figure x, y;
    double sign;  // 1: less is better in both; -1: more
  };
  std::array<Scatter, 2> scatters() const;
  QWidget* make_plots();
  void make_table();
  void draw();
  void draw(const Scatter& scatter);
  QStringList say(std::size_t design) const;

  std::optional<PlanReport> plan_{};
  QLabel* title_ = nullptr;
  QLineEdit* filter_ = nullptr;
  QLabel* why_ = nullptr;
  ScatterPlot* costs_ = nullptr;
  ScatterPlot* speeds_ = nullptr;
  QTableView* table_ = nullptr;
  PlanModel* model_ = nullptr;
};

}  // namespace servecast::gui
