#pragma once
#include <functional>

#include "gui/view/plots/plot.h"

namespace servecast::gui {

/// One dot of a scatter plot.
struct Dot {
  double x = 0;
  double y = 0;
  std::size_t group = 0;  // index into the groups
  std::size_t id = 0;     // whatever the owner calls it by
  bool hollow = false;    // drawn as a ring: less certain than the others
};

/// Dots of one look.
struct DotGroup {
  QString name{};
  QColor Theme::*tint = nullptr;  // a colour of the theme; none: that of the series with this group's number
  double radius = 2.5;
};

/// A line through a scatter plot, in the values of its axes.
struct GuideLine {
  std::vector<std::pair<double, double>> points{};
  Qt::PenStyle style = Qt::SolidLine;
};

/// Dots by two figures. The one nearest to the mouse is read out; a click chooses it, a double click opens it.
class ScatterPlot final : public Plot {
  Q_OBJECT

 public:
  explicit ScatterPlot(QWidget* parent = nullptr);

  /// Dots outside the axes are left out.
  void set_dots(std::vector<DotGroup> groups, std::vector<Dot> dots);
  void set_axes(const Axis& x, const Axis& y);
  void set_lines(std::vector<GuideLine> lines);
  /// What is said of a dot, line by line.
  void set_reading(std::function<QStringList(std::size_t id)> text) { text_ = std::move(text); }
  /// The dot that is ringed; none: no dot is.
  void set_chosen(std::optional<std::size_t> id);

  /// Where a dot is drawn, in pixels of this widget; none where it lies outside.
  std::optional<QPointF> place_of(std::size_t id) const;
  QString csv() const override;
  /// Groups that have a dot, as the legend shows them.
  std::vector<LegendEntry> entries() const { return legend(); }

 signals:
  void chosen(std::size_t id);
  void opened(std::size_t id);

 protected:
  std::vector<LegendEntry> legend() const override;
  void paint_data(QPainter& painter, const QRectF& area) const override;
  void paint_chosen(QPainter& painter, const QRectF& area) const override;
  QStringList reading(double x) const override;

  void mouseMoveEvent(QMouseEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;

 private:
  bool shown(const Dot& dot) const;
  QColor colour(std::size_t group) const;
  const Dot* nearest(const QPointF& pixel) const;

  std::vector<DotGroup> groups_{};
  std::vector<Dot> dots_{};
  std::vector<GuideLine> lines_{};
  std::function<QStringList(std::size_t)> text_{};
  std::optional<std::size_t> chosen_{};
  std::optional<std::size_t> hovered_{};
};

/// The range of some values with a little room around it; 0 to 1 without any. Logarithmic: of those above 0.
Axis axis_around(const std::vector<double>& values, Quantity quantity, bool log, const QString& label);

}  // namespace servecast::gui
