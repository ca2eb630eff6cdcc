#pragma once
#include "gui/view/plots/plot.h"

namespace servecast::gui {

/// Requests of one run: the values, and how they are binned and counted.
struct Sample {
  QString name{};
  std::size_t colour = 0;
  Counts all{};
  std::optional<Counts> chosen{};  // of the requests that a brush chose
};

/// How a latency is spread: as a cumulative distribution or a histogram, for one run or several.
class DistributionPlot final : public Plot {
  Q_OBJECT

 public:
  using Plot::Plot;

  void set_binning(const Binning& binning, Quantity quantity);
  void set_samples(std::vector<Sample> samples);
  /// The counts of what a brush chose, of the first sample; none: no brush.
  void set_chosen(std::optional<Counts> chosen);
  void set_cumulative(bool cumulative);
  /// The bound that was promised; none: nothing was.
  void set_slo(std::optional<double> bound);

  QString csv() const override;

 protected:
  std::vector<LegendEntry> legend() const override;
  void paint_data(QPainter& painter, const QRectF& area) const override;
  void paint_chosen(QPainter& painter, const QRectF& area) const override;
  QStringList reading(double x) const override;

 private:
  void rescale();
  std::size_t bars() const;
  void paint_counts(QPainter& painter, const QRectF& area, const Counts& counts, const QColor& colour,
                    bool strong) const;
  QPolygonF cumulative_line(const QRectF& area, const Counts& counts) const;
  QPolygonF histogram_line(const QRectF& area, const Counts& counts) const;

  Binning binning_{};
  std::vector<Sample> samples_{};
  bool cumulative_ = true;
  std::optional<double> slo_{};
};

}  // namespace servecast::gui
