#include "gui/view/plots/time_plot.h"

#include <QPainter>
#include <QPainterPath>
#include <algorithm>

#include "gui/data/report/decimate.h"

namespace servecast::gui {

void TimePlot::set_curves(std::vector<Curve> curves, Quantity quantity, double duration_s) {
  curves_ = std::move(curves);
  x_ = {.high = std::max(duration_s, 1e-9), .quantity = Quantity::instant_s};
  y_.quantity = quantity;
  rescale();
}

void TimePlot::set_level(double level) {
  level_ = level;
  rescale();
}

void TimePlot::rescale() {
  constexpr double head_room = 1.08;
  double largest = level_;
  for (const Curve& curve : curves_)
    for (const double value : *curve.values) largest = std::max(largest, value);
  y_.high = largest > 0 ? largest * head_room : 1;
  redraw();
}

void TimePlot::set_marks(std::vector<std::uint32_t> per_bin) {
  if (marks_.empty() && per_bin.empty()) return;
  marks_ = std::move(per_bin);
  update();
}

std::vector<LegendEntry> TimePlot::legend() const {
  std::vector<LegendEntry> entries;
  for (const Curve& curve : curves_)
    if (!curve.name.isEmpty()) entries.push_back({curve.name, theme().of_series(curve.colour), curve.style});
  return entries;
}

void TimePlot::paint_data(QPainter& painter, const QRectF& area) const {
  for (const Curve& curve : curves_) paint_curve(painter, area, curve);
  if (level_ > 0) {
    const double y = point(area, 0, level_).y();
    painter.setPen(QPen(theme().muted, 1, Qt::DashLine));
    painter.drawLine(QPointF(area.left(), y), QPointF(area.right(), y));
  }
}

void TimePlot::paint_curve(QPainter& painter, const QRectF& area, const Curve& curve) const {
  const auto columns = static_cast<std::size_t>(std::max(1.0, area.width()));
  const std::vector<Extent> extents = decimate(*curve.time_s, *curve.values, {x_.low, x_.high}, columns);
  QPolygonF line;
  for (std::size_t c = 0; c < extents.size(); ++c) {
    if (extents[c].empty) continue;
    const double x = area.left() + static_cast<double>(c) + 0.5;
    line << QPointF(x, point(area, 0, extents[c].high).y());
    if (extents[c].low != extents[c].high) line << QPointF(x, point(area, 0, extents[c].low).y());
  }
  if (line.isEmpty()) return;
  const QColor colour = theme().of_series(curve.colour);
  if (curve.filled) {
    QPolygonF below = line;
    below << QPointF(line.last().x(), area.bottom()) << QPointF(line.first().x(), area.bottom());
    QColor fill = colour;
    fill.setAlpha(theme().dark ? 60 : 40);
    painter.setPen(Qt::NoPen);
    painter.setBrush(fill);
    painter.drawPolygon(below);
  }
  painter.setPen(QPen(colour, 1.5, curve.style, Qt::FlatCap, Qt::RoundJoin));
  painter.drawPolyline(line);
}

void TimePlot::paint_chosen(QPainter& painter, const QRectF& area) const {
  const std::uint32_t most = marks_.empty() ? 0 : *std::ranges::max_element(marks_);
  if (most == 0) return;
  constexpr double height = 6;
  const double width = area.width() / static_cast<double>(marks_.size());
  for (std::size_t i = 0; i < marks_.size(); ++i) {
    if (marks_[i] == 0) continue;
    QColor colour = theme().chosen;
    colour.setAlphaF(0.35f + 0.65f * static_cast<float>(marks_[i]) / static_cast<float>(most));
    painter.fillRect(
        QRectF(area.left() + static_cast<double>(i) * width, area.bottom() - height, std::max(1.0, width), height),
        colour);
  }
}

QStringList TimePlot::reading(double x) const {
  QStringList lines{text_of(Quantity::instant_s, x)};
  for (const Curve& curve : curves_) {
    const auto after = std::ranges::upper_bound(*curve.time_s, x);
    if (after == curve.time_s->begin()) continue;
    const double value = (*curve.values)[static_cast<std::size_t>(after - curve.time_s->begin() - 1)];
    const QString text = text_of(y_.quantity, value);
    lines << (curve.name.isEmpty() ? text : curve.name + "  " + text);
  }
  return lines;
}

QString TimePlot::csv() const {
  QStringList lines{"curve,time_s,value"};
  for (const Curve& curve : curves_)
    for (std::size_t i = 0; i < curve.values->size(); ++i)
      lines << csv_cell(curve.name) + ',' + csv_cell((*curve.time_s)[i]) + ',' + csv_cell((*curve.values)[i]);
  return lines.join('\n') + '\n';
}

}  // namespace servecast::gui
