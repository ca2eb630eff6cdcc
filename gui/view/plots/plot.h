#pragma once
#include <QPixmap>
#include <QWidget>
#include <optional>

#include "gui/data/report/bins.h"
#include "gui/data/words/quantity.h"
#include "gui/view/parts/theme.h"

namespace servecast::gui {

/// One axis of a plot.
struct Axis {
  double low = 0;
  double high = 1;
  bool log = false;
  Quantity quantity = Quantity::number;
  QString label{};

  double share(double value) const;  // 0 at low, 1 at high
  double value(double share) const;
  std::vector<double> ticks(int wanted) const;
};

struct LegendEntry {
  QString text{};
  QColor colour{};
  Qt::PenStyle style = Qt::SolidLine;
};

/// A cell of a plot's CSV: a text in quotes, a number with every bit.
QString csv_cell(const QString& text);
QString csv_cell(double number);

/// What all plots share: title, legend, axes, the span chosen by dragging, the line under the mouse, export. Painted
/// by hand on any painter, so screen, PNG and SVG are the same picture.
class Plot : public QWidget {
  Q_OBJECT

 public:
  explicit Plot(QWidget* parent = nullptr);

  void set_title(const QString& title);
  const QString& title() const { return title_; }
  const Axis& y_axis() const { return y_; }
  /// The span to show as chosen; given by the view that links the plots.
  void set_span(std::optional<Span> span);
  /// The legend in a line of its own even where there is room beside the title: plots in a row then look alike.
  void set_legend_below(bool below) { legend_below_ = below; }
  /// Whether dragging chooses a span (it does).
  void set_brushable(bool brushable) { brushable_ = brushable; }

  /// Paints the whole plot but for what belongs to the mouse.
  void paint(QPainter& painter, const QRectF& whole) const;
  /// The numbers that the plot shows.
  virtual QString csv() const = 0;
  QSize sizeHint() const override { return {420, 230}; }
  QSize minimumSizeHint() const override { return {160, 100}; }

 signals:
  /// A span was dragged; none: it was given up (a click, a double click).
  void brushed(const std::optional<servecast::gui::Span>& span);

 protected:
  Axis x_{}, y_{};

  virtual std::vector<LegendEntry> legend() const { return {}; }
  /// What stays as it is while a span is dragged: painted once and kept as a picture.
  virtual void paint_data(QPainter& painter, const QRectF& area) const = 0;
  /// What changes with it.
  virtual void paint_chosen(QPainter&, const QRectF&) const {}
  /// The data, the axes or the legend have changed.
  void redraw();
  /// What the plot shows at x, line by line, for the box beside the mouse.
  virtual QStringList reading(double x) const = 0;
  const Theme& theme() const { return theme_of(palette()); }
  QPointF point(const QRectF& area, double x, double y) const;
  /// Where the data are painted in this widget.
  QRectF data_area() const { return area(rect()); }

  void paintEvent(QPaintEvent* event) override;
  void changeEvent(QEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void leaveEvent(QEvent* event) override;
  void contextMenuEvent(QContextMenuEvent* event) override;

 private:
  QRectF area(const QRectF& whole) const;
  bool legend_below_title(const QRectF& whole) const;
  double value_at(const QPointF& pixel) const;
  void paint_base(QPainter& painter, const QRectF& whole, bool frame) const;
  void paint_above(QPainter& painter, const QRectF& area) const;
  void paint_head(QPainter& painter, const QRectF& whole) const;
  void paint_axes(QPainter& painter, const QRectF& area) const;
  void paint_span(QPainter& painter, const QRectF& area) const;
  void paint_reading(QPainter& painter, const QRectF& area) const;

  QPixmap base_{};  // what paint_base() painted; null: it must again
  QString title_{};
  std::optional<Span> span_{};
  std::optional<double> pressed_{};  // x where a drag began
  std::optional<double> hover_{};
  bool brushable_ = true;
  bool legend_below_ = false;
};

}  // namespace servecast::gui
