#pragma once
#include <QAbstractTableModel>
#include <QString>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "sim/report/figures/figures.h"

namespace servecast::gui {

class Report;

/// A figure of a report, with the range that --replicates gives it.
struct ReportedFigure {
  std::optional<double> value{};
  std::optional<double> p05{};
  std::optional<double> p95{};
};

/// A line of the comparison: one figure of every report.
struct ComparisonRow {
  Figure figure{};
  std::vector<ReportedFigure> reported{};  // by report

  /// Relative to the first report: 0.1 is 10 % more. None where either is absent or the first is 0.
  std::optional<double> change(std::size_t report) const;
  /// Whether both have an interval and these do not touch; none: not known.
  std::optional<bool> apart(std::size_t report) const;
};

/// In the language of the window.
QString heading_of(const Figure& figure);

std::vector<ComparisonRow> compare(std::span<Report* const> reports);

/// The difference table: figures in rows, reports in columns, the first of them the one compared with.
class ComparisonModel final : public QAbstractTableModel {
  Q_OBJECT

 public:
  enum Role { better_role = Qt::UserRole };  // +1 better, -1 worse, 0 neither or not apart

  using QAbstractTableModel::QAbstractTableModel;
  void set_reports(std::span<Report* const> reports);

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

 private:
  QString text(const ComparisonRow& row, std::size_t report) const;
  int better(const ComparisonRow& row, std::size_t report) const;

  std::vector<ComparisonRow> rows_{};
  std::vector<QString> labels_{};
};

}  // namespace servecast::gui
