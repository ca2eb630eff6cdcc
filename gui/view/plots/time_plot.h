#pragma once
#include "gui/view/plots/plot.h"

namespace servecast::gui {

/// One line over time.
struct Curve {
  QString name{};
  const Column* time_s = nullptr;
  const Column* values = nullptr;
  Qt::PenStyle style = Qt::SolidLine;
  bool filled = false;
  std::size_t colour = 0;  // of the theme's series
};

/// Amounts over simulated time. The curves' columns must live as long as the plot shows them.
class TimePlot final : public Plot {
  Q_OBJECT

 public:
  using Plot::Plot;

  void set_curves(std::vector<Curve> curves, Quantity quantity, double duration_s);
  /// A level to compare with, e.g. all GPUs; 0: none.
  void set_level(double level);
  /// When the chosen requests arrived: a strip of marks along the bottom; none: no strip.
  void set_marks(std::vector<std::uint32_t> per_bin);

  QString csv() const override;

 protected:
  std::vector<LegendEntry> legend() const override;
  void paint_data(QPainter& painter, const QRectF& area) const override;
  void paint_chosen(QPainter& painter, const QRectF& area) const override;
  QStringList reading(double x) const override;

 private:
  void rescale();
  void paint_curve(QPainter& painter, const QRectF& area, const Curve& curve) const;

  std::vector<Curve> curves_{};
  double level_ = 0;
  std::vector<std::uint32_t> marks_{};
};

}  // namespace servecast::gui
