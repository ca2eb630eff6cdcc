#include "gui/view/plots/scatter_plot.h"

#include <QMouseEvent>
#include <QPainter>
#include <algorithm>
#include <cmath>

namespace servecast::gui {
namespace {

constexpr double reach = 14;  // pixels from the mouse at which a dot is still meant

double distance(const QPointF& a, const QPointF& b) { return std::hypot(a.x() - b.x(), a.y() - b.y()); }

}  // namespace

Axis axis_around(const std::vector<double>& values, Quantity quantity, bool log, const QString& label) {
  Axis axis{.log = log, .quantity = quantity, .label = label};
  if (log) axis.low = 0.1;
  bool first = true;
  for (const double value : values) {
    if (!std::isfinite(value) || (log && value <= 0)) continue;
    axis.low = first ? value : std::min(axis.low, value);
    axis.high = first ? value : std::max(axis.high, value);
    first = false;
  }
  constexpr double room = 1.15;
  if (log) {
    axis.low /= room;
    axis.high *= room;
    return axis;
  }
  const double spread = axis.high - axis.low;
  const double margin = spread > 0 ? 0.06 * spread : std::max(1e-9, 0.06 * std::abs(axis.high));
  axis.low -= margin;
  axis.high += margin;
  return axis;
}

ScatterPlot::ScatterPlot(QWidget* parent) : Plot(parent) { set_brushable(false); }

void ScatterPlot::set_axes(const Axis& x, const Axis& y) {
  x_ = x;
  y_ = y;
  redraw();
}

void ScatterPlot::set_dots(std::vector<DotGroup> groups, std::vector<Dot> dots) {
  groups_ = std::move(groups);
  dots_ = std::move(dots);
  hovered_.reset();
  redraw();
}

void ScatterPlot::set_lines(std::vector<GuideLine> lines) {
  lines_ = std::move(lines);
  redraw();
}

void ScatterPlot::set_chosen(std::optional<std::size_t> id) {
  chosen_ = id;
  update();
}

bool ScatterPlot::shown(const Dot& dot) const {
  const auto fits = [](const Axis& axis, double value) {
    const double share = std::isfinite(value) ? axis.share(value) : -1;
    return share >= 0 && share <= 1;
  };
  return fits(x_, dot.x) && fits(y_, dot.y);
}

QColor ScatterPlot::colour(std::size_t group) const {
  const DotGroup& g = groups_[group];
  return g.tint ? theme().*g.tint : theme().of_series(group);
}

std::vector<LegendEntry> ScatterPlot::legend() const {
  std::vector<LegendEntry> entries;
  for (std::size_t i = 0; i < groups_.size(); ++i)
    if (!groups_[i].name.isEmpty() && std::ranges::find(dots_, i, &Dot::group) != dots_.end())
      entries.push_back({groups_[i].name, colour(i)});
  return entries;
}

void ScatterPlot::paint_data(QPainter& painter, const QRectF& area) const {
  for (const GuideLine& line : lines_) {
    QPolygonF through;
    for (const auto& [x, y] : line.points) through << point(area, x, y);
    painter.setPen(QPen(theme().muted, 1, line.style));
    painter.drawPolyline(through);
  }
  for (std::size_t group = 0; group < groups_.size(); ++group) {
    QColor tint = colour(group);
    tint.setAlpha(170);
    const double radius = groups_[group].radius;
    for (const Dot& dot : dots_) {
      if (dot.group != group || !shown(dot)) continue;
      painter.setPen(dot.hollow ? QPen(tint, 1.5) : QPen(Qt::NoPen));
      painter.setBrush(dot.hollow ? QBrush(Qt::NoBrush) : QBrush(tint));
      painter.drawEllipse(point(area, dot.x, dot.y), radius, radius);
    }
  }
}

void ScatterPlot::paint_chosen(QPainter& painter, const QRectF& area) const {
  painter.setBrush(Qt::NoBrush);
  for (const Dot& dot : dots_) {
    if ((dot.id != chosen_ && dot.id != hovered_) || !shown(dot)) continue;
    const double radius = groups_[dot.group].radius + 3;
    painter.setPen(QPen(dot.id == chosen_ ? theme().chosen : theme().muted, 2));
    painter.drawEllipse(point(area, dot.x, dot.y), radius, radius);
  }
}

const Dot* ScatterPlot::nearest(const QPointF& pixel) const {
  const QRectF inner = data_area();
  const Dot* best = nullptr;
  double least = reach;
  for (const Dot& dot : dots_) {
    if (!shown(dot)) continue;
    const double away = distance(point(inner, dot.x, dot.y), pixel);
    if (away >= least) continue;
    least = away;
    best = &dot;
  }
  return best;
}

std::optional<QPointF> ScatterPlot::place_of(std::size_t id) const {
  for (const Dot& dot : dots_)
    if (dot.id == id && shown(dot)) return point(data_area(), dot.x, dot.y);
  return std::nullopt;
}

QStringList ScatterPlot::reading(double) const { return hovered_ && text_ ? text_(*hovered_) : QStringList(); }

void ScatterPlot::mouseMoveEvent(QMouseEvent* event) {
  const Dot* dot = nearest(event->position());
  hovered_ = dot ? std::optional(dot->id) : std::nullopt;
  setCursor(dot ? Qt::PointingHandCursor : Qt::ArrowCursor);
  Plot::mouseMoveEvent(event);
}

void ScatterPlot::mousePressEvent(QMouseEvent* event) {
  const Dot* dot = nearest(event->position());
  if (event->button() == Qt::LeftButton && dot) emit chosen(dot->id);
}

void ScatterPlot::mouseDoubleClickEvent(QMouseEvent* event) {
  if (const Dot* dot = nearest(event->position())) emit opened(dot->id);
}

QString ScatterPlot::csv() const {
  QStringList lines{csv_cell(x_.label) + ',' + csv_cell(y_.label) + ",group"};
  for (const Dot& dot : dots_)
    lines << csv_cell(dot.x) + ',' + csv_cell(dot.y) + ',' + csv_cell(groups_[dot.group].name);
  return lines.join('\n') + '\n';
}

}  // namespace servecast::gui
