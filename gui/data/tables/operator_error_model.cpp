#include "gui/data/tables/operator_error_model.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "gui/data/words/quantity.h"

namespace servecast::gui {
namespace {

struct ErrorColumn {
  const char* title;
  const char* help;
  double (*value)(const OperatorError&);
  Quantity quantity;
};
constexpr std::array columns{
    ErrorColumn{QT_TRANSLATE_NOOP("servecast::gui::OperatorErrorModel", "median"),
                QT_TRANSLATE_NOOP("servecast::gui::OperatorErrorModel", "half of the held-out shapes are nearer"),
                [](const OperatorError& e) { return e.median; }, Quantity::fraction},
    ErrorColumn{QT_TRANSLATE_NOOP("servecast::gui::OperatorErrorModel", "p90"),
                QT_TRANSLATE_NOOP("servecast::gui::OperatorErrorModel", "nine in ten of the held-out shapes are nearer"),
                [](const OperatorError& e) { return e.p90; }, Quantity::fraction},
    ErrorColumn{QT_TRANSLATE_NOOP("servecast::gui::OperatorErrorModel", "bias"),
                QT_TRANSLATE_NOOP("servecast::gui::OperatorErrorModel", "median of fitted over measured, less 1"),
                [](const OperatorError& e) { return e.bias; }, Quantity::fraction},
    ErrorColumn{QT_TRANSLATE_NOOP("servecast::gui::OperatorErrorModel", "fitted on"),
                QT_TRANSLATE_NOOP("servecast::gui::OperatorErrorModel", "shapes"),
                [](const OperatorError& e) { return static_cast<double>(e.fitted); }, Quantity::count},
    ErrorColumn{QT_TRANSLATE_NOOP("servecast::gui::OperatorErrorModel", "held out"),
                QT_TRANSLATE_NOOP("servecast::gui::OperatorErrorModel", "shapes that the fit has not seen"),
                [](const OperatorError& e) { return static_cast<double>(e.held_out); }, Quantity::count},
};

}  // namespace

void OperatorErrorModel::set_residuals(const Residuals* residuals) {
  beginResetModel();
  residuals_ = residuals;
  errors_ = residuals ? errors_of(*residuals) : std::vector<OperatorError>{};
  const auto known_median = [](const OperatorError& e) { return std::isnan(e.median) ? -1 : e.median; };
  std::ranges::stable_sort(errors_, std::greater{}, known_median);
  endResetModel();
}

int OperatorErrorModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(errors_.size());
}

int OperatorErrorModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : 1 + static_cast<int>(columns.size());
}

QVariant OperatorErrorModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid()) return {};
  const OperatorError& error = errors_[static_cast<std::size_t>(index.row())];
  if (role == Qt::TextAlignmentRole && index.column() > 0) return int{Qt::AlignRight | Qt::AlignVCenter};
  if (role != Qt::DisplayRole) return {};
  if (index.column() == 0) return QString::fromStdString(residuals_->op.names[error.op]);
  const ErrorColumn& column = columns[static_cast<std::size_t>(index.column() - 1)];
  return text_of(column.quantity, column.value(error));
}

QVariant OperatorErrorModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || (role != Qt::DisplayRole && role != Qt::ToolTipRole)) return {};
  if (section == 0) return role == Qt::DisplayRole ? tr("operator") : QVariant();
  const ErrorColumn& column = columns[static_cast<std::size_t>(section - 1)];
  return tr(role == Qt::DisplayRole ? column.title : column.help);
}

}  // namespace servecast::gui
