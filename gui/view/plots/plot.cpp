#include "gui/view/plots/plot.h"

#include <QContextMenuEvent>
#include <QMenu>
#include <QMouseEvent>
#include <QPainter>
#include <algorithm>
#include <cmath>

#include "gui/view/plots/plot_export.h"
#include "models/base/escaped.h"

namespace servecast::gui {
namespace {

constexpr double legend_space = 32;  // beside the text of an entry

}  // namespace

double Axis::share(double value) const {
  if (!log) return (value - low) / (high - low);
  return value <= 0 ? -1 : std::log(value / low) / std::log(high / low);
}

double Axis::value(double share) const {
  return log ? low * std::pow(high / low, share) : low + (high - low) * share;
}

std::vector<double> Axis::ticks(int wanted) const {
  return log ? log_ticks(low, high) : linear_ticks(low, high, wanted);
}

QString csv_cell(const QString& text) { return QString::fromStdString(servecast::csv_cell(text.toStdString())); }
QString csv_cell(double number) { return QString::number(number, 'g', 17); }

Plot::Plot(QWidget* parent) : QWidget(parent) {
  setMouseTracking(true);
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
}

void Plot::set_title(const QString& title) {
  title_ = title;
  setAccessibleName(title);
  redraw();
}

void Plot::set_span(std::optional<Span> span) {
  if (span == span_) return;
  span_ = span;
  update();
}

QPointF Plot::point(const QRectF& area, double x, double y) const {
  return {area.left() + x_.share(x) * area.width(), area.bottom() - y_.share(y) * area.height()};
}

bool Plot::legend_below_title(const QRectF& whole) const {
  if (legend_below_) return true;
  QFont bold = font();
  bold.setWeight(QFont::DemiBold);
  double width = 28 + 8 + QFontMetricsF(bold).horizontalAdvance(title_);
  for (const LegendEntry& entry : legend())
    width += QFontMetricsF(font()).horizontalAdvance(entry.text) + legend_space;
  return width > whole.width();
}

QRectF Plot::area(const QRectF& whole) const {
  const QFontMetricsF metrics(font());
  double widest = 0;
  for (const double tick : y_.ticks(4))
    widest = std::max(widest, metrics.horizontalAdvance(tick_text(y_.quantity, tick, y_.high)));
  const double line = metrics.height();
  const double head = legend_below_title(whole) ? 2 * line + 6 : line;
  return whole.adjusted(14 + widest + 6, 10 + head + 10, -16, -(line + 12));
}

void Plot::paint_head(QPainter& painter, const QRectF& whole) const {
  const Theme& t = theme();
  const QFontMetricsF metrics(font());
  QFont bold = font();
  bold.setWeight(QFont::DemiBold);
  painter.setFont(bold);
  painter.setPen(t.text);
  QRectF row(whole.left() + 14, whole.top() + 9, whole.width() - 28, metrics.height() + 2);
  painter.drawText(row, Qt::AlignLeft | Qt::AlignVCenter, title_);
  painter.setFont(font());
  if (legend_below_title(whole)) row.translate(0, metrics.height() + 4);
  double right = row.right();
  const std::vector<LegendEntry> entries = legend();
  for (auto entry = entries.rbegin(); entry != entries.rend(); ++entry) {
    const double width = metrics.horizontalAdvance(entry->text);
    if (right - width - legend_space < row.left()) break;  // no room for more
    painter.setPen(t.muted);
    painter.drawText(QRectF(right - width, row.top(), width + 1, row.height()), Qt::AlignVCenter, entry->text);
    painter.setPen(QPen(entry->colour, 2.5, entry->style, Qt::FlatCap));
    painter.drawLine(QPointF(right - width - 22, row.center().y()), QPointF(right - width - 6, row.center().y()));
    right -= width + legend_space;
  }
}

void Plot::paint_axes(QPainter& painter, const QRectF& area) const {
  const Theme& t = theme();
  const QFontMetricsF metrics(font());
  for (const double tick : y_.ticks(std::max(2, static_cast<int>(area.height() / 34)))) {
    const double y = point(area, x_.low, tick).y();
    painter.setPen(QPen(t.grid, 1));
    painter.drawLine(QPointF(area.left(), y), QPointF(area.right(), y));
    painter.setPen(t.muted);
    painter.drawText(QRectF(area.left() - 106, y - 20, 100, 40), Qt::AlignRight | Qt::AlignVCenter,
                     tick_text(y_.quantity, tick, y_.high));
  }
  double free_from = area.left() - 30;  // left end of what is free for the next mark
  for (const double tick : x_.ticks(std::max(2, static_cast<int>(area.width() / 70)))) {
    const double x = point(area, tick, y_.low).x();
    const QString text = tick_text(x_.quantity, tick, x_.high);
    const double width = metrics.horizontalAdvance(text);
    painter.setPen(QPen(t.grid, 1));
    painter.drawLine(QPointF(x, area.top()), QPointF(x, area.bottom()));
    if (x - width / 2 < free_from || x + width / 2 > area.right() + 14) continue;
    free_from = x + width / 2 + 10;
    painter.setPen(t.muted);
    painter.drawText(QRectF(x - width, area.bottom() + 5, 2 * width, metrics.height()), Qt::AlignCenter, text);
  }
  painter.setPen(QPen(t.faint, 1));
  painter.drawLine(area.bottomLeft(), area.bottomRight());
}

void Plot::paint_span(QPainter& painter, const QRectF& area) const {
  if (!span_) return;
  const double from = std::clamp(point(area, span_->from, y_.low).x(), area.left(), area.right());
  const double to = std::clamp(point(area, span_->to, y_.low).x(), area.left(), area.right());
  QColor fill = theme().chosen;
  fill.setAlpha(48);
  painter.fillRect(QRectF(from, area.top(), std::max(1.0, to - from), area.height()), fill);
  painter.setPen(QPen(theme().chosen, 1));
  painter.drawLine(QPointF(from, area.top()), QPointF(from, area.bottom()));
  painter.drawLine(QPointF(to, area.top()), QPointF(to, area.bottom()));
}

void Plot::paint_reading(QPainter& painter, const QRectF& area) const {
  if (!hover_ || pressed_) return;
  const QString text = reading(*hover_).join("\n");
  if (text.isEmpty()) return;
  const Theme& t = theme();
  const double x = point(area, *hover_, y_.low).x();
  painter.setPen(QPen(t.muted, 1, Qt::DotLine));
  painter.drawLine(QPointF(x, area.top()), QPointF(x, area.bottom()));
  const QFontMetricsF metrics(font());
  QRectF box = metrics.boundingRect(QRectF(0, 0, 400, 400), Qt::AlignLeft, text).adjusted(-8, -5, 8, 5);
  const bool on_the_left = x + 12 + box.width() > area.right();
  box.moveTopLeft({on_the_left ? x - 12 - box.width() : x + 12, area.top() + 4});
  painter.setPen(QPen(t.border, 1));
  painter.setBrush(t.card);
  painter.drawRoundedRect(box, 4, 4);
  painter.setPen(t.text);
  painter.drawText(box.adjusted(8, 5, -8, -5), Qt::AlignLeft, text);
}

void Plot::paint_base(QPainter& painter, const QRectF& whole, bool frame) const {
  const Theme& t = theme();
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setFont(font());
  painter.setPen(frame ? QPen(t.border, 1) : QPen(Qt::NoPen));
  painter.setBrush(t.card);
  painter.drawRoundedRect(whole.adjusted(0.5, 0.5, -0.5, -0.5), 6, 6);
  paint_head(painter, whole);
  const QRectF inner = area(whole);
  paint_axes(painter, inner);
  painter.save();
  painter.setClipRect(inner.adjusted(-1, -2, 1, 1));
  paint_data(painter, inner);
  painter.restore();
}

void Plot::paint_above(QPainter& painter, const QRectF& inner) const {
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setFont(font());
  painter.save();
  painter.setClipRect(inner.adjusted(-1, -2, 1, 1));
  paint_chosen(painter, inner);
  paint_span(painter, inner);
  painter.restore();
}

void Plot::paint(QPainter& painter, const QRectF& whole) const {
  paint_base(painter, whole, false);
  paint_above(painter, area(whole));
}

void Plot::paintEvent(QPaintEvent*) {
  const double ratio = devicePixelRatioF();
  if (base_.isNull() || base_.size() != size() * ratio) {
    base_ = QPixmap(size() * ratio);
    base_.setDevicePixelRatio(ratio);
    base_.fill(Qt::transparent);
    QPainter onto(&base_);
    paint_base(onto, rect(), true);
  }
  QPainter painter(this);
  painter.drawPixmap(0, 0, base_);
  paint_above(painter, area(rect()));
  paint_reading(painter, area(rect()));
}

void Plot::redraw() {
  base_ = {};
  update();
}

void Plot::changeEvent(QEvent* event) {
  redraw();  // palette, font, language
  QWidget::changeEvent(event);
}

double Plot::value_at(const QPointF& pixel) const {
  const QRectF inner = area(rect());
  return x_.value(std::clamp((pixel.x() - inner.left()) / inner.width(), 0.0, 1.0));
}

void Plot::mousePressEvent(QMouseEvent* event) {
  if (event->button() == Qt::LeftButton && brushable_) pressed_ = value_at(event->position());
}

void Plot::mouseMoveEvent(QMouseEvent* event) {
  const double here = value_at(event->position());
  hover_ = here;
  if (pressed_) emit brushed(Span{std::min(*pressed_, here), std::max(*pressed_, here)});
  update();
}

void Plot::mouseReleaseEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton || !pressed_) return;
  const bool only_a_click = value_at(event->position()) == *pressed_;
  pressed_.reset();
  if (only_a_click) emit brushed(std::nullopt);
  update();
}

void Plot::mouseDoubleClickEvent(QMouseEvent*) { emit brushed(std::nullopt); }

void Plot::leaveEvent(QEvent*) {
  hover_.reset();
  update();
}

void Plot::contextMenuEvent(QContextMenuEvent* event) {
  QMenu menu(this);
  add_export_actions(menu, *this);
  menu.exec(event->globalPos());
}

}  // namespace servecast::gui
