#pragma once
#include <QWidget>
#include <array>

#include "gui/data/report/requests.h"
#include "gui/data/tables/comparison.h"

class QLabel;
class QTableView;

namespace servecast::gui {

class DistributionPlot;
class Report;

/// Two or more reports side by side: how their latencies are spread, and by how much their figures differ.
class CompareView final : public QWidget {
  Q_OBJECT

 public:
  explicit CompareView(QWidget* parent = nullptr);

  /// The first one is what the others are compared with. They must live as long as they are shown.
  void show_reports(const std::vector<Report*>& reports);
  const ComparisonModel& model() const { return *model_; }

 private:
  void fill(DistributionPlot& plot, Metric metric, const std::vector<Report*>& reports);

  static constexpr std::array metrics{Metric::ttft_s, Metric::tpot_s, Metric::e2e_s};
  std::array<DistributionPlot*, metrics.size()> plots_{};
  QLabel* hint_ = nullptr;
  QTableView* table_ = nullptr;
  ComparisonModel* model_ = nullptr;
};

}  // namespace servecast::gui
