#include "gui/view/pages/calibration_view.h"

#include <QHeaderView>
#include <QItemSelectionModel>
#include <QLabel>
#include <QSplitter>
#include <QTableView>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

#include "gui/view/parts/parts.h"
#include "gui/view/plots/scatter_plot.h"

namespace servecast::gui {
namespace {

constexpr int full_width = 1000;        // of the width; only the ratio of sizes counts
constexpr double close_by = 0.1;        // the band drawn around "as measured"
constexpr double most_error_shown = 1;  // what is further off is drawn at the edge

std::vector<DotGroup> residual_groups() {
  return {{.name = CalibrationView::tr("fitted on"), .radius = 2},
          {.name = CalibrationView::tr("held out"), .radius = 3},
          {.name = CalibrationView::tr("outside the fitted range"), .radius = 3}};
}

std::size_t group_of(const Residuals& r, std::size_t row) {
  if (r.extrapolated[row] != 0) return 2;
  return r.held_out[row] != 0 ? 1 : 0;
}

GuideLine level(double y, const Axis& x, Qt::PenStyle style) { return {{{x.low, y}, {x.high, y}}, style}; }

}  // namespace

CalibrationView::CalibrationView(QWidget* parent) : QWidget(parent) {
  title_ = wrapped_label("muted");
  title_->setText(
      tr("Open a residuals.csv: servecast-calibrate residuals PROFILE SAMPLES --out residuals.csv writes one."));
  model_ = new OperatorErrorModel(this);
  table_ = new QTableView;
  dress(*table_);
  table_->setModel(model_);
  table_->setSelectionBehavior(QAbstractItemView::SelectRows);
  table_->setSelectionMode(QAbstractItemView::SingleSelection);
  table_->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
  connect(table_->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
          [this](const QModelIndex& now) { if (now.isValid()) show_operator(model_->op(now.row())); });
  times_ = new ScatterPlot;
  times_->set_title(tr("Fitted time over measured time"));
  errors_ = new ScatterPlot;
  errors_->set_title(tr("Error (fitted / measured - 1, at most 100 %) over measured time"));
  for (ScatterPlot* plot : {times_, errors_}) {
    plot->set_legend_below(true);
    plot->set_reading([this](std::size_t row) { return say(row); });
    connect(plot, &ScatterPlot::chosen, this, [this](std::size_t row) {
      times_->set_chosen(row);
      errors_->set_chosen(row);
    });
  }
  auto* splitter = new QSplitter(Qt::Horizontal);
  splitter->addWidget(column_of({title_, table_}, table_));
  auto* plots = new QSplitter(Qt::Vertical);
  plots->addWidget(times_);
  plots->addWidget(errors_);
  splitter->addWidget(plots);
  splitter->setSizes({2 * full_width / 5, 3 * full_width / 5});
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(splitter);
}

void CalibrationView::show_residuals(Residuals residuals) {
  model_->set_residuals(nullptr);
  residuals_ = std::move(residuals);
  model_->set_residuals(&*residuals_);
  title_->setText(tr("%1: errors on shapes that were held out of the fit")
                      .arg(QString::fromStdString(residuals_->profile)));
  choose(0);
}

void CalibrationView::choose(int row) {
  if (row < model_->rowCount()) table_->selectRow(row);
}

void CalibrationView::show_operator(std::size_t op) {
  const Residuals& r = *residuals_;
  std::vector<Dot> times;
  std::vector<Dot> errors;
  std::vector<double> seconds;
  std::vector<double> sizes;
  for (std::size_t row = 0; row < r.size(); ++row) {
    if (r.op.code[row] != op) continue;
    const double error = std::clamp(r.error(row), -most_error_shown, most_error_shown);
    times.push_back({.x = r.measured_s[row], .y = r.fitted_s[row], .group = group_of(r, row), .id = row});
    errors.push_back({.x = r.measured_s[row], .y = error, .group = group_of(r, row), .id = row});
    seconds.insert(seconds.end(), {r.measured_s[row], r.fitted_s[row]});
    sizes.insert(sizes.end(), {error, -error, close_by, -close_by});
  }
  const Axis time = axis_around(seconds, Quantity::latency_s, true, "measured_s");
  Axis fitted = time;
  fitted.label = "fitted_s";
  times_->set_axes(time, fitted);
  times_->set_lines({{{{time.low, time.low}, {time.high, time.high}}}});
  times_->set_dots(residual_groups(), std::move(times));
  errors_->set_axes(time, axis_around(sizes, Quantity::fraction, false, "error_fraction"));
  errors_->set_lines({level(0, time, Qt::SolidLine), level(close_by, time, Qt::DashLine),
                      level(-close_by, time, Qt::DashLine)});
  errors_->set_dots(residual_groups(), std::move(errors));
  for (ScatterPlot* plot : {times_, errors_}) plot->set_chosen(std::nullopt);
}

QStringList CalibrationView::say(std::size_t row) const {
  const Residuals& r = *residuals_;
  return {QString::fromStdString(r.shape[row]),
          tr("measured %1").arg(text_of(Quantity::latency_s, r.measured_s[row])),
          tr("fitted %1 (%2)")
              .arg(text_of(Quantity::latency_s, r.fitted_s[row]), text_of(Quantity::fraction, r.error(row)))};
}

}  // namespace servecast::gui
