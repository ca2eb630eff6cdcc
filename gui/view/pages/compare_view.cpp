#include "gui/view/pages/compare_view.h"

#include <QHeaderView>
#include <QLabel>
#include <QStyledItemDelegate>
#include <QTableView>
#include <QVBoxLayout>
#include <algorithm>

#include "gui/data/report/report.h"
#include "gui/view/parts/parts.h"
#include "gui/view/plots/distribution_plot.h"

namespace servecast::gui {
namespace {

/// Better and worse in colours that colour-blind eyes tell apart (green-blue and orange).
class DifferenceDelegate final : public QStyledItemDelegate {
 public:
  using QStyledItemDelegate::QStyledItemDelegate;

 protected:
  void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override {
    QStyledItemDelegate::initStyleOption(option, index);
    const int better = index.data(ComparisonModel::better_role).toInt();
    const Theme& t = theme_of(option->palette);
    if (better != 0) option->palette.setColor(QPalette::Text, better > 0 ? t.good : t.bad);
    if (better != 0) option->text += better > 0 ? "  ▲" : "  ▼";
  }
};

}  // namespace

CompareView::CompareView(QWidget* parent) : QWidget(parent) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(10);
  auto* row = new QHBoxLayout;
  row->setSpacing(10);
  const std::array titles{tr("Time to first token"), tr("Time per output token"), tr("End to end")};
  for (std::size_t i = 0; i < plots_.size(); ++i) {
    plots_[i] = new DistributionPlot;
    plots_[i]->set_title(titles[i]);
    plots_[i]->set_brushable(false);
    plots_[i]->set_legend_below(true);
    row->addWidget(plots_[i]);
  }
  column->addLayout(row, 2);
  hint_ = wrapped_label("muted");
  column->addWidget(hint_);
  table_ = new QTableView;
  model_ = new ComparisonModel(this);
  table_->setModel(model_);
  table_->setItemDelegate(new DifferenceDelegate(table_));
  dress(*table_);
  table_->setSelectionMode(QAbstractItemView::NoSelection);
  table_->horizontalHeader()->setSectionResizeMode(QHeaderView::Stretch);
  column->addWidget(table_, 3);
}

void CompareView::show_reports(const std::vector<Report*>& reports) {
  model_->set_reports(reports);
  for (std::size_t i = 0; i < plots_.size(); ++i) fill(*plots_[i], metrics[i], reports);
  if (reports.size() < 2)
    hint_->setText(tr("Tick two or more reports on the left to compare them."));
  else
    hint_->setText(
        tr("Differences are relative to %1. ▲ better, ▼ worse; where both runs have 90 % intervals, only if "
           "these do not overlap.")
            .arg(QString::fromStdString(reports.front()->label)));
}

void CompareView::fill(DistributionPlot& plot, Metric metric, const std::vector<Report*>& reports) {
  Binning binning{.log = true};
  bool first = true;
  for (const Report* report : reports) {
    const Binning own = binning_of(report->requests[metric], true);
    binning.low = first ? own.low : std::min(binning.low, own.low);
    binning.high = first ? own.high : std::max(binning.high, own.high);
    first = false;
  }
  if (reports.empty()) binning = binning_of({}, true);
  std::vector<Sample> samples;
  for (const Report* report : reports)
    samples.push_back({.name = QString::fromStdString(report->label),
                       .colour = samples.size(),
                       .all = count(bins_of(report->requests[metric], binning))});
  plot.set_binning(binning, Quantity::latency_s);
  plot.set_samples(std::move(samples));
}

}  // namespace servecast::gui
