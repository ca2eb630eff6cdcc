#pragma once
#include <QAbstractTableModel>
#include <QString>
#include <QStringList>
#include <cstddef>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "gui/data/words/quantity.h"

namespace servecast {
struct PlanDesign;
struct PlanReport;
}  // namespace servecast

namespace servecast::gui {

/// What a plan says of a design in numbers.
struct PlanFigure {
  const char* title;
  Quantity quantity;
  std::optional<double> (*value)(const PlanDesign&);
};
std::span<const PlanFigure> plan_figures();

/// Those that no other one beats: no more of `x` and no more of `y`, and less of one. In order of x. Indices into
/// `points`.
std::vector<std::size_t> front_of(std::span<const std::pair<double, double>> points);

/// The designs of a plan in rows: what was chosen of each dimension, the verdict, the figures. Sorting and filtering
/// change an index of rows.
class PlanModel final : public QAbstractTableModel {
  Q_OBJECT

 public:
  using QAbstractTableModel::QAbstractTableModel;

  /// Must live as long as it is shown.
  void set_plan(const PlanReport* plan);
  /// Shows designs that have all of these words, in their settings or the verdict.
  void set_filter(const QString& words);
  const std::vector<std::size_t>& shown() const { return shown_; }  // by row: index into PlanReport::designs
  std::optional<int> row_of(std::size_t design) const;

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;
  void sort(int column, Qt::SortOrder order) override;

 private:
  bool matches(const PlanDesign& design) const;
  QString text(const PlanDesign& design, std::size_t column) const;
  std::optional<double> number(const PlanDesign& design, std::size_t column) const;

  const PlanReport* plan_ = nullptr;
  std::vector<QString> dimensions_{};
  std::vector<const PlanFigure*> figures_{};  // those that some design has: without an slo, none has kept it
  QStringList wanted_{};
  std::vector<std::size_t> shown_{};
};

}  // namespace servecast::gui
