#pragma once
#include <QWidget>
#include <optional>

#include "gui/data/tables/operator_error_model.h"

class QLabel;
class QTableView;

namespace servecast::gui {

class ScatterPlot;

/// How far a kernel profile can be trusted: the error of every operator, and of one of them every measured shape
/// beside its fitted time.
class CalibrationView final : public QWidget {
  Q_OBJECT

 public:
  explicit CalibrationView(QWidget* parent = nullptr);

  void show_residuals(Residuals residuals);
  /// Shows the operator in this row of the table.
  void choose(int row);
  const OperatorErrorModel& model() const { return *model_; }
  ScatterPlot& times() { return *times_; }

 private:
  void show_operator(std::size_t op);
  QStringList say(std::size_t row) const;

  std::optional<Residuals> residuals_{};
  QLabel* title_ = nullptr;
  QTableView* table_ = nullptr;
  OperatorErrorModel* model_ = nullptr;
  ScatterPlot* times_ = nullptr;
  ScatterPlot* errors_ = nullptr;
};

}  // namespace servecast::gui
