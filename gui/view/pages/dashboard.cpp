#include "gui/view/pages/dashboard.h"

#include <QGridLayout>
#include <QLabel>
#include <QPushButton>
#include <algorithm>
#include <numeric>

#include "gui/view/pages/figure_cards.h"
#include "gui/view/parts/parts.h"
#include "gui/view/plots/distribution_plot.h"
#include "gui/view/plots/time_plot.h"

namespace servecast::gui {
namespace {

QPushButton* toggle(const QString& text, const QString& help) {
  auto* button = new QPushButton(text);
  button->setCheckable(true);
  button->setChecked(true);
  button->setToolTip(help);
  return button;
}

/// Which amounts a plot over time shows.
struct TimePlotContent {
  const char* title;
  Quantity quantity;
  std::vector<std::pair<Amount, const char*>> amounts;  // with what the legend calls them
  bool filled;
};

const std::array<TimePlotContent, 6>& time_plot_contents() {
  static const std::array<TimePlotContent, 6> contents{{
      {QT_TRANSLATE_NOOP("servecast::gui::Dashboard", "Output tokens per second"),
       Quantity::count,
       {{Amount::output_tokens_per_s, ""}},
       true},
      {QT_TRANSLATE_NOOP("servecast::gui::Dashboard", "Requests"),
       Quantity::number,
       {{Amount::running, QT_TRANSLATE_NOOP("servecast::gui::Dashboard", "running")},
        {Amount::waiting, QT_TRANSLATE_NOOP("servecast::gui::Dashboard", "waiting")}},
       false},
      {QT_TRANSLATE_NOOP("servecast::gui::Dashboard", "KV blocks in use"),
       Quantity::fraction,
       {{Amount::kv_used_fraction, ""}},
       true},
      {QT_TRANSLATE_NOOP("servecast::gui::Dashboard", "Busy GPUs"),
       Quantity::number,
       {{Amount::busy_gpus, QT_TRANSLATE_NOOP("servecast::gui::Dashboard", "busy")},
        {Amount::rented_gpus, QT_TRANSLATE_NOOP("servecast::gui::Dashboard", "rented")}},
       true},
      {QT_TRANSLATE_NOOP("servecast::gui::Dashboard", "Power of the GPUs"),
       Quantity::watts,
       {{Amount::watts, ""}},
       true},
      {QT_TRANSLATE_NOOP("servecast::gui::Dashboard", "Cost so far"), Quantity::usd, {{Amount::usd, ""}}, true},
  }};
  return contents;
}

/// Those that the report has.
std::vector<std::pair<Amount, const char*>> known_amounts(const TimePlotContent& content, const PoolSeries& series) {
  std::vector<std::pair<Amount, const char*>> known = content.amounts;
  std::erase_if(known, [&](const auto& amount) { return series[amount.first].empty(); });
  return known;
}

}  // namespace

Dashboard::Dashboard(QWidget* parent) : QWidget(parent) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(10);
  figures_ = new FigureCards;
  column->addWidget(figures_);
  column->addWidget(make_controls());
  auto* grid = new QGridLayout;
  grid->setSpacing(10);
  add_distributions(*grid);
  add_time_plots(*grid);
  for (int i = 0; i < 3; ++i) {
    grid->setRowStretch(i, 1);
    grid->setColumnStretch(i, 1);
  }
  column->addLayout(grid, 1);
}

QWidget* Dashboard::make_controls() {
  auto* bar = new QWidget;
  auto* row = new QHBoxLayout(bar);
  row->setContentsMargins(0, 0, 0, 0);
  as_cdf_ = toggle(tr("Cumulative"), tr("Cumulative distribution, or a histogram"));
  as_log_ = toggle(tr("Log scale"), tr("Logarithmic, or a linear axis"));
  connect(as_cdf_, &QPushButton::toggled, this, &Dashboard::set_cumulative);
  connect(as_log_, &QPushButton::toggled, this, &Dashboard::set_log);
  chosen_text_ = muted_label();
  give_up_ = new QPushButton(tr("Show all"));
  give_up_->setShortcut(Qt::Key_Escape);
  connect(give_up_, &QPushButton::clicked, this, [this] { set_brush({}); });
  row->addWidget(as_cdf_);
  row->addWidget(as_log_);
  row->addSpacing(12);
  row->addWidget(chosen_text_, 1);
  row->addWidget(give_up_);
  return bar;
}

void Dashboard::add_distributions(QGridLayout& grid) {
  const std::array titles{tr("Time to first token (TTFT)"), tr("Time per output token (TPOT)"),
                          tr("End to end (E2E)")};
  for (std::size_t i = 0; i < shown_metrics.size(); ++i) {
    auto* plot = distributions_[i] = new DistributionPlot;
    plot->set_title(titles[i]);
    connect(plot, &Plot::brushed, this, [this, i](const std::optional<Span>& span) {
      Brush brush = brush_;
      brush.latency[static_cast<std::size_t>(shown_metrics[i])] = span;
      set_brush(brush);
    });
    grid.addWidget(plot, 0, static_cast<int>(i));
  }
}

void Dashboard::add_time_plots(QGridLayout& grid) {
  for (std::size_t i = 0; i < over_time_.size(); ++i) {
    auto* plot = over_time_[i] = new TimePlot;
    plot->set_title(tr(time_plot_contents()[i].title));
    connect(plot, &Plot::brushed, this, [this](const std::optional<Span>& span) {
      Brush brush = brush_;
      brush.arrival_s = span;
      set_brush(brush);
    });
    grid.addWidget(plot, 1 + static_cast<int>(i) / 3, static_cast<int>(i) % 3);
  }
}

void Dashboard::show_report(const Report* report) {
  report_ = report;
  brush_ = {};
  if (report_ == nullptr) {
    for (TimePlot* plot : over_time_) plot->set_curves({}, Quantity::number, 1);  // they point into the report
    return emit chosen_changed({});
  }
  figures_->show_summary(report_->summary);
  fill_distributions();
  fill_time_plots();
  const Binning by_arrival{.high = std::max(report_->summary.duration_s, 1e-9)};
  arrival_bins_ = bins_of(report_->requests.arrival_s, by_arrival);
  show_chosen();
}

void Dashboard::fill_distributions() {
  const SloSummary& slo = report_->summary.slo;
  const std::array bounds{slo.ttft_s, slo.tpot_s, slo.e2e_s};
  for (std::size_t i = 0; i < shown_metrics.size(); ++i) {
    const Column& values = report_->requests[shown_metrics[i]];
    Binning binning = binning_of(values, log_);
    // The promise belongs into the picture, unless it is so far off that it would squeeze the rest.
    if (bounds[i] && *bounds[i] > binning.high && *bounds[i] < binning.high * (log_ ? 30 : 3))
      binning.high = *bounds[i] * (log_ ? 1.3 : 1.05);
    bins_[i] = bins_of(values, binning);
    distributions_[i]->set_binning(binning, Quantity::latency_s);
    distributions_[i]->set_slo(bounds[i]);
    distributions_[i]->set_samples({{.colour = 0, .all = count(bins_[i])}});
  }
}

void Dashboard::fill_time_plots() {
  const bool several = report_->series.size() > 1;
  const double duration_s = report_->summary.duration_s;
  for (std::size_t i = 0; i < over_time_.size(); ++i) {
    const TimePlotContent& content = time_plot_contents()[i];
    std::vector<Curve> curves;
    for (std::size_t pool = 0; pool < report_->series.size(); ++pool) {
      const PoolSeries& series = report_->series[pool];
      const auto amounts = known_amounts(content, series);
      for (std::size_t a = 0; a < amounts.size(); ++a) {
        const QString what = amounts.size() > 1 ? tr(amounts[a].second) : QString();
        QString name = what;  // of several pools: their names, and once what a dotted line means
        if (several && a == 0) name = QString::fromStdString(series.pool);
        if (several && a > 0 && pool > 0) name.clear();
        const std::size_t colour = several ? pool : a;
        curves.push_back({name, &series.time_s, &series[amounts[a].first],
                          several && a > 0 ? Qt::DotLine : Qt::SolidLine, content.filled && !several && a == 0,
                          colour});
      }
    }
    over_time_[i]->set_curves(std::move(curves), content.quantity, duration_s);
  }
  double gpus = 0;
  for (const PoolSummary& pool : report_->summary.pools) gpus += static_cast<double>(pool.gpus);
  over_time_[3]->set_level(several ? 0 : gpus);
}

void Dashboard::set_cumulative(bool cumulative) {
  cumulative_ = cumulative;
  as_cdf_->setChecked(cumulative);
  for (DistributionPlot* plot : distributions_) plot->set_cumulative(cumulative);
}

void Dashboard::set_log(bool log) {
  if (log_ == log) return;
  log_ = log;
  as_log_->setChecked(log);
  if (report_ == nullptr) return;
  fill_distributions();
  show_chosen();
}

void Dashboard::set_brush(const Brush& brush) {
  if (brush == brush_ || report_ == nullptr) return;
  brush_ = brush;
  show_chosen();
}

void Dashboard::show_chosen() {
  const std::size_t all = report_->requests.size();
  std::vector<std::uint8_t> mask;
  if (!brush_.empty()) mask = chosen(report_->requests, brush_);
  for (std::size_t i = 0; i < shown_metrics.size(); ++i) {
    distributions_[i]->set_span(brush_.latency[static_cast<std::size_t>(shown_metrics[i])]);
    distributions_[i]->set_chosen(mask.empty() ? std::nullopt : std::optional(count(bins_[i], mask)));
  }
  std::vector<std::uint32_t> marks;
  if (!mask.empty()) {
    constexpr std::size_t bins_per_mark = 8;
    const Counts counts = count(arrival_bins_, mask);
    marks.resize(Binning::bins / bins_per_mark);
    for (std::size_t i = 0; i < counts.size(); ++i) marks[i / bins_per_mark] += counts[i];
  }
  for (TimePlot* plot : over_time_) {
    plot->set_span(brush_.arrival_s);
    plot->set_marks(marks);
  }
  const auto some = static_cast<double>(std::accumulate(mask.begin(), mask.end(), std::size_t{0}));
  const auto number = [](double n) { return text_of(Quantity::count, n); };
  chosen_text_->setText(mask.empty()
                            ? tr("Drag across any plot to choose requests.")
                            : tr("%1 of %2 requests chosen").arg(number(some), number(static_cast<double>(all))));
  give_up_->setVisible(!mask.empty());
  emit chosen_changed(mask);
}

}  // namespace servecast::gui
