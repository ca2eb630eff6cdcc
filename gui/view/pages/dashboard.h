#pragma once
#include <QWidget>
#include <array>

#include "gui/data/report/bins.h"
#include "gui/data/report/report.h"

class QGridLayout;
class QLabel;
class QPushButton;

namespace servecast::gui {

class DistributionPlot;
class FigureCards;
class TimePlot;

/// What came out of a run at a glance: figures, how latencies are spread, how loads went over time. A span chosen in
/// one plot chooses in all plots.
class Dashboard final : public QWidget {
  Q_OBJECT

 public:
  explicit Dashboard(QWidget* parent = nullptr);

  /// None: nothing to show. The report must live as long as it is shown.
  void show_report(const Report* report);
  const Brush& brush() const { return brush_; }
  void set_brush(const Brush& brush);
  void set_cumulative(bool cumulative);
  void set_log(bool log);

 signals:
  /// 1 for each request that the brush chose; empty: there is no brush.
  void chosen_changed(const std::vector<std::uint8_t>& mask);

 private:
  static constexpr std::array shown_metrics{Metric::ttft_s, Metric::tpot_s, Metric::e2e_s};

  QWidget* make_controls();
  void add_distributions(QGridLayout& grid);
  void add_time_plots(QGridLayout& grid);
  void fill_distributions();
  void fill_time_plots();
  void show_chosen();

  const Report* report_ = nullptr;
  Brush brush_{};
  bool log_ = true;
  bool cumulative_ = true;
  FigureCards* figures_ = nullptr;
  QLabel* chosen_text_ = nullptr;
  QPushButton* give_up_ = nullptr;
  QPushButton* as_cdf_ = nullptr;
  QPushButton* as_log_ = nullptr;
  std::array<DistributionPlot*, shown_metrics.size()> distributions_{};
  std::array<std::vector<std::uint16_t>, shown_metrics.size()> bins_{};
  std::vector<std::uint16_t> arrival_bins_{};
  std::array<TimePlot*, 6> over_time_{};
};

}  // namespace servecast::gui
