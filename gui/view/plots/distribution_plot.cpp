#include "gui/view/plots/distribution_plot.h"

#include <QPainter>
#include <algorithm>
#include <numeric>

namespace servecast::gui {
namespace {

/// Bins that one bar of a histogram takes together.
constexpr std::size_t bins_per_bar = 32;

double total(const Counts& counts) { return std::accumulate(counts.begin(), counts.end(), 0.0); }

/// Share of the requests in a bar, by bar.
std::vector<double> bars_of(const Counts& counts) {
  std::vector<double> bars(Binning::bins / bins_per_bar, 0);
  for (std::size_t i = 0; i < counts.size(); ++i) bars[i / bins_per_bar] += counts[i];
  const double all = std::max(1.0, total(counts));
  for (double& bar : bars) bar /= all;
  return bars;
}

/// Share of the requests in the bins up to and with this one.
double share_up_to(const Counts& counts, std::size_t bin) {
  const auto end = counts.begin() + static_cast<std::ptrdiff_t>(bin + 1);
  return std::accumulate(counts.begin(), end, 0.0) / std::max(1.0, total(counts));
}

}  // namespace

void DistributionPlot::set_binning(const Binning& binning, Quantity quantity) {
  binning_ = binning;
  x_ = {.low = binning.low, .high = binning.high, .log = binning.log, .quantity = quantity};
  rescale();
}

void DistributionPlot::set_samples(std::vector<Sample> samples) {
  samples_ = std::move(samples);
  rescale();
}

void DistributionPlot::set_chosen(std::optional<Counts> chosen) {
  if (samples_.empty() || (!samples_.front().chosen && !chosen)) return;
  const bool same_picture = cumulative_ && samples_.front().chosen.has_value() == chosen.has_value();
  samples_.front().chosen = chosen;
  same_picture ? update() : rescale();
}

void DistributionPlot::set_cumulative(bool cumulative) {
  cumulative_ = cumulative;
  rescale();
}

void DistributionPlot::set_slo(std::optional<double> bound) {
  slo_ = bound;
  redraw();
}

void DistributionPlot::rescale() {
  double highest = 0;
  if (!cumulative_)
    for (const Sample& sample : samples_) {
      highest = std::max(highest, std::ranges::max(bars_of(sample.all)));
      if (sample.chosen) highest = std::max(highest, std::ranges::max(bars_of(*sample.chosen)));
    }
  y_ = {.high = highest > 0 ? highest * 1.08 : 1.02, .quantity = Quantity::fraction};
  redraw();
}

std::vector<LegendEntry> DistributionPlot::legend() const {
  std::vector<LegendEntry> entries;
  for (const Sample& sample : samples_)
    if (!sample.name.isEmpty()) entries.push_back({sample.name, theme().of_series(sample.colour)});
  if (!samples_.empty() && samples_.front().chosen) {
    entries.push_back({tr("all"), theme().faint});
    entries.push_back({tr("chosen"), theme().chosen});
  }
  return entries;
}

QPolygonF DistributionPlot::cumulative_line(const QRectF& area, const Counts& counts) const {
  constexpr double seen = 0.3;  // pixels; less is no difference to the eye, and points cost time
  const double all = std::max(1.0, total(counts));
  double so_far = 0;
  QPolygonF line;
  line << point(area, binning_.low, 0);
  QPointF left_out = line.back();
  for (std::size_t i = 0; i < counts.size(); ++i) {
    so_far += counts[i];
    const QPointF here(area.left() + area.width() * static_cast<double>(i + 1) / Binning::bins,
                       point(area, binning_.low, so_far / all).y());
    if (line.back().y() - here.y() >= seen && here.x() - line.back().x() >= seen) {
      if (left_out.y() == line.back().y()) line << left_out;  // where a flat piece ends
      line << here;
    }
    left_out = here;
  }
  line << left_out;
  return line;
}

QPolygonF DistributionPlot::histogram_line(const QRectF& area, const Counts& counts) const {
  const std::vector<double> bars = bars_of(counts);
  const double width = area.width() / static_cast<double>(bars.size());
  QPolygonF line;
  line << area.bottomLeft();
  for (std::size_t i = 0; i < bars.size(); ++i) {
    const double y = point(area, binning_.low, bars[i]).y();
    line << QPointF(area.left() + static_cast<double>(i) * width, y)
         << QPointF(area.left() + static_cast<double>(i + 1) * width, y);
  }
  line << area.bottomRight();
  return line;
}

void DistributionPlot::paint_counts(QPainter& painter, const QRectF& area, const Counts& counts, const QColor& colour,
                                    bool strong) const {
  if (total(counts) == 0) return;
  const QPolygonF line = cumulative_ ? cumulative_line(area, counts) : histogram_line(area, counts);
  QColor fill = colour;
  fill.setAlpha(strong ? 70 : 40);
  painter.setBrush(cumulative_ ? QBrush(Qt::NoBrush) : QBrush(fill));
  painter.setPen(QPen(colour, strong ? 2 : 1.5, Qt::SolidLine, Qt::FlatCap, Qt::RoundJoin));
  cumulative_ ? painter.drawPolyline(line) : painter.drawPolygon(line);
}

void DistributionPlot::paint_data(QPainter& painter, const QRectF& area) const {
  for (const Sample& sample : samples_) {
    paint_counts(painter, area, sample.all, sample.chosen ? theme().faint : theme().of_series(sample.colour),
                 !sample.chosen);
  }
  if (!slo_) return;
  const double x = point(area, *slo_, 0).x();
  painter.setPen(QPen(theme().bad, 1.5, Qt::DashLine));
  painter.drawLine(QPointF(x, area.top()), QPointF(x, area.bottom()));
  const QString text = tr("SLO %1").arg(text_of(x_.quantity, *slo_));
  const double width = QFontMetricsF(font()).horizontalAdvance(text) + 10;
  const bool on_the_left = x + width > area.right();
  painter.setPen(theme().bad);
  painter.drawText(QRectF(on_the_left ? x - width : x, area.bottom() - 24, width, 18), Qt::AlignCenter, text);
}

void DistributionPlot::paint_chosen(QPainter& painter, const QRectF& area) const {
  for (const Sample& sample : samples_)
    if (sample.chosen) paint_counts(painter, area, *sample.chosen, theme().chosen, true);
}

QStringList DistributionPlot::reading(double x) const {
  QStringList lines{text_of(x_.quantity, x)};
  const std::size_t bin = binning_.bin_of(x);
  const auto add = [&](const QString& name, const Counts& counts) {
    const double share = cumulative_ ? share_up_to(counts, bin) : bars_of(counts)[bin / bins_per_bar];
    lines << (name.isEmpty() ? "" : name + "  ") + text_of(Quantity::fraction, share);
  };
  for (const Sample& sample : samples_) {
    add(sample.chosen && sample.name.isEmpty() ? tr("all") : sample.name, sample.all);
    if (sample.chosen) add(tr("chosen"), *sample.chosen);
  }
  return lines;
}

QString DistributionPlot::csv() const {
  QStringList lines{"run,up_to,requests,share"};
  for (const Sample& sample : samples_) {
    const double all = std::max(1.0, total(sample.all));
    double so_far = 0;
    for (std::size_t i = 0; i < sample.all.size(); ++i) {
      if (sample.all[i] == 0) continue;
      so_far += sample.all[i];
      lines << QStringList{csv_cell(sample.name), csv_cell(binning_.edge(i + 1)), csv_cell(sample.all[i]),
                           csv_cell(so_far / all)}
                   .join(',');
    }
  }
  return lines.join('\n') + '\n';
}

}  // namespace servecast::gui
