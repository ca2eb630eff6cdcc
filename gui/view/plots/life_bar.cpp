#include "gui/view/plots/life_bar.h"

#include <QMouseEvent>
#include <QPainter>
#include <algorithm>
#include <map>

#include "gui/data/report/detail.h"
#include "gui/data/words/quantity.h"
#include "gui/view/parts/theme.h"

namespace servecast::gui {
namespace {

constexpr double side_margin = 14;

QColor colour_of(LifeKind kind, const Theme& t) {
  switch (kind) {
    case LifeKind::gateway:
      return t.of_series(4);
    case LifeKind::earlier_passes:
      return t.of_series(5);
    case LifeKind::queue:
      return t.faint;
    case LifeKind::prefill:
      return t.of_series(1);
    case LifeKind::hand_over:
      return t.of_series(2);
    case LifeKind::decode:
      return t.of_series(0);
    case LifeKind::stall:
      return t.of_series(3);
  }
  return {};
}

}  // namespace

QString life_kind_name(LifeKind kind) {
  switch (kind) {
    case LifeKind::gateway:
      return LifeBar::tr("gateway");
    case LifeKind::earlier_passes:
      return LifeBar::tr("earlier LLM calls");
    case LifeKind::queue:
      return LifeBar::tr("queue");
    case LifeKind::prefill:
      return LifeBar::tr("prefill");
    case LifeKind::hand_over:
      return LifeBar::tr("KV hand-over");
    case LifeKind::decode:
      return LifeBar::tr("decode");
    case LifeKind::stall:
      return LifeBar::tr("stalled");
  }
  return {};
}

void LifeBar::set_life(const RequestLife& life, const Steps* steps) {
  life_ = life;
  steps_ = steps;
  if (!life_.parts.empty()) {
    from_s_ = life_.parts.front().from_s;
    to_s_ = std::max(life_.parts.back().to_s, from_s_ + 1e-9);
  }
  update();
}

QRectF LifeBar::bar() const {
  const double line = fontMetrics().height();
  return {side_margin, line + 16, width() - 2 * side_margin, 26};
}

double LifeBar::x_of(double time_s) const {
  return bar().left() + bar().width() * (time_s - from_s_) / (to_s_ - from_s_);
}

void LifeBar::paint_legend(QPainter& painter) const {
  const Theme& t = theme_of(palette());
  std::map<LifeKind, double> seconds;
  for (const LifePart& part : life_.parts) seconds[part.kind] += part.to_s - part.from_s;
  double x = side_margin;
  for (const auto& [kind, length_s] : seconds) {
    const QString text = life_kind_name(kind) + "  " + text_of(Quantity::latency_s, length_s);
    painter.fillRect(QRectF(x, 10, 11, 11), colour_of(kind, t));
    painter.setPen(t.text);
    painter.drawText(QPointF(x + 17, 20), text);
    x += 17 + fontMetrics().horizontalAdvance(text) + 24;
  }
}

void LifeBar::paint_steps(QPainter& painter) const {
  if (steps_ == nullptr) return;
  const Theme& t = theme_of(palette());
  const double top = bar().bottom() + 4;
  for (const LifeStep& step : life_.steps) {
    const double from = x_of(steps_->start_s[step.row]), to = x_of(steps_->end_s[step.row]);
    QColor colour = step.tokens > 1 ? t.of_series(1) : t.of_series(0);
    colour.setAlpha(150);
    painter.fillRect(QRectF(from, top, std::max(1.0, to - from - 0.5), 8), colour);
  }
}

void LifeBar::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  const Theme& t = theme_of(palette());
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(QPen(t.border, 1));
  painter.setBrush(t.card);
  painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 6, 6);
  if (life_.parts.empty()) {
    painter.setPen(t.muted);
    painter.drawText(rect(), Qt::AlignCenter, tr("Choose a request to see its life."));
    return;
  }
  paint_legend(painter);
  painter.setRenderHint(QPainter::Antialiasing, false);
  for (const LifePart& part : life_.parts) {
    const double from = x_of(part.from_s), to = x_of(part.to_s);
    painter.fillRect(QRectF(from, bar().top(), std::max(1.0, to - from), bar().height()), colour_of(part.kind, t));
  }
  paint_steps(painter);
  painter.setPen(t.muted);
  const double below = bar().bottom() + 16;
  double free_from = 0;
  for (const double tick : linear_ticks(from_s_, to_s_, std::max(2, width() / 110))) {
    const QString text = tick_text(Quantity::instant_s, tick, to_s_);
    const double wide = fontMetrics().horizontalAdvance(text);
    const double x = x_of(tick);
    painter.drawLine(QPointF(x, below), QPointF(x, below + 4));
    if (x - wide / 2 < free_from || x + wide / 2 > width()) continue;
    painter.drawText(QPointF(x - wide / 2, below + 6 + fontMetrics().ascent()), text);
    free_from = x + wide / 2 + 10;
  }
}

void LifeBar::mousePressEvent(QMouseEvent* event) {
  if (steps_ == nullptr) return;
  const double x = event->position().x();
  for (std::size_t i = 0; i < life_.steps.size(); ++i) {
    const std::size_t row = life_.steps[i].row;
    if (x >= x_of(steps_->start_s[row]) - 1 && x <= x_of(steps_->end_s[row]) + 1)
      return emit step_clicked(static_cast<int>(i));
  }
}

}  // namespace servecast::gui
