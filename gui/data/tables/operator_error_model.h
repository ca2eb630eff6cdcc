#pragma once
#include <QAbstractTableModel>

#include "gui/data/report/residuals.h"

namespace servecast::gui {

/// The error table of a calibration: operators in rows, those with the largest median error first.
class OperatorErrorModel final : public QAbstractTableModel {
  Q_OBJECT

 public:
  using QAbstractTableModel::QAbstractTableModel;

  /// Must live as long as it is shown.
  void set_residuals(const Residuals* residuals);
  /// The operator in a row: an index into Residuals::op.names.
  std::size_t op(int row) const { return errors_[static_cast<std::size_t>(row)].op; }

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

 private:
  const Residuals* residuals_ = nullptr;
  std::vector<OperatorError> errors_{};
};

}  // namespace servecast::gui
