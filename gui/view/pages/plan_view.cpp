#include "gui/view/pages/plan_view.h"

#include <QHeaderView>
#include <QItemSelectionModel>
#include <QLabel>
#include <QLineEdit>
#include <QSplitter>
#include <QTableView>
#include <QVBoxLayout>
#include <algorithm>
#include <array>
#include <limits>

#include "gui/view/parts/parts.h"
#include "gui/view/plots/scatter_plot.h"
#include "sim/plan/report/plan_report.h"

namespace servecast::gui {
namespace {

/// How verdicts look in the plots.
struct VerdictGroup {
  const char* name;
  std::vector<std::string_view> verdicts;
  QColor Theme::*tint;
  double radius;
};

const std::vector<VerdictGroup>& verdict_looks() {
  static const std::vector<VerdictGroup> looks{
      {QT_TRANSLATE_NOOP("servecast::gui::PlanView", "best"), {"chosen", "front"}, &Theme::chosen, 5},
      {QT_TRANSLATE_NOOP("servecast::gui::PlanView", "keeps its promises, or may"),
       {"keeps", "undecided"},
       &Theme::good,
       3.5},
      {QT_TRANSLATE_NOOP("servecast::gui::PlanView", "breaks a promise"), {"breaks", "bound"}, &Theme::bad, 3},
      {QT_TRANSLATE_NOOP("servecast::gui::PlanView", "no better than the best"),
       {"not_needed", "dominated"},
       &Theme::muted,
       3},
      {QT_TRANSLATE_NOOP("servecast::gui::PlanView", "cannot be built, or paid for"), {"impossible", "over_budget"}, &Theme::faint, 3}};
  return looks;
}

std::size_t verdict_group_of(const PlanDesign& design) {
  const auto has = [&](const VerdictGroup& look) {
    return std::ranges::find(look.verdicts, design.verdict) != look.verdicts.end();
  };
  const auto found = std::ranges::find_if(verdict_looks(), has);
  const std::size_t number = static_cast<std::size_t>(found - verdict_looks().begin());
  return std::min(number, verdict_looks().size() - 1);
}

bool at_best_estimate(const PlanDesign& design) {
  return design.figures_of.empty() || design.figures_of == best_estimate_figures;
}

/// Which run the figures are those of, where that is not the usual one.
QString whose_figures(const PlanDesign& design) {
  if (design.figures_of == draw_figures)
    return PlanView::tr("Figures: one draw of calibration error and seed, not the best estimate");
  return PlanView::tr("Figures: only the beginning of the workload, in which it broke its promise");
}

std::vector<DotGroup> verdict_groups() {
  std::vector<DotGroup> groups;
  for (const VerdictGroup& look : verdict_looks())
    groups.push_back({.name = PlanView::tr(look.name), .tint = look.tint, .radius = look.radius});
  return groups;
}

}  // namespace

PlanView::PlanView(QWidget* parent) : QWidget(parent) {
  title_ = wrapped_label("muted");
  title_->setText(tr("Open the folder or the plan.sqlite that servecast plan STUDY --out DIR has written."));
  filter_ = new QLineEdit;
  filter_->setPlaceholderText(tr("Filter, e.g.  h100 replicas=4 keeps"));
  filter_->setClearButtonEnabled(true);
  connect(filter_, &QLineEdit::textChanged, this, [this](const QString& words) {
    model_->set_filter(words);
    draw();
  });
  why_ = wrapped_label("muted");
  make_table();
  auto* splitter = new QSplitter(Qt::Vertical);
  splitter->addWidget(make_plots());
  splitter->addWidget(column_of({filter_, table_, why_}, table_));
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(10);
  column->addWidget(title_);
  column->addWidget(splitter, 1);
}

QWidget* PlanView::make_plots() {
  costs_ = new ScatterPlot;
  costs_->set_title(tr("TTFT p99 over cost per hour"));
  speeds_ = new ScatterPlot;
  speeds_->set_title(tr("Tokens/s per GPU over tokens/s per user"));
  auto* row = new QSplitter(Qt::Horizontal);
  for (ScatterPlot* plot : {costs_, speeds_}) {
    plot->set_legend_below(true);
    plot->set_reading([this](std::size_t design) { return say(design); });
    connect(plot, &ScatterPlot::chosen, this, &PlanView::choose);
    connect(plot, &ScatterPlot::opened, this, [this](std::size_t design) {
      emit design_wanted(plan_->designs[design]);
    });
    row->addWidget(plot);
  }
  return row;
}

void PlanView::make_table() {
  model_ = new PlanModel(this);
  table_ = new QTableView;
  dress(*table_);
  table_->setModel(model_);
  table_->setSortingEnabled(true);
  table_->horizontalHeader()->setSortIndicator(-1, Qt::AscendingOrder);
  table_->setSelectionBehavior(QAbstractItemView::SelectRows);
  table_->setSelectionMode(QAbstractItemView::SingleSelection);
  connect(table_->selectionModel(), &QItemSelectionModel::currentRowChanged, this, [this](const QModelIndex& now) {
    if (now.isValid()) choose(model_->shown()[static_cast<std::size_t>(now.row())]);
  });
  connect(table_, &QTableView::doubleClicked, this, [this](const QModelIndex& index) {
    emit design_wanted(plan_->designs[model_->shown()[static_cast<std::size_t>(index.row())]]);
  });
}

std::array<PlanView::Scatter, 2> PlanView::scatters() const {
  return {{{costs_, &PlanDesign::usd_per_hour, &PlanDesign::ttft_p99_s, 1},
           {speeds_, &PlanDesign::tokens_per_s_per_user, &PlanDesign::tokens_per_s_per_gpu, -1}}};
}

void PlanView::show_plan(PlanReport plan) {
  model_->set_plan(nullptr);
  plan_ = std::move(plan);
  model_->set_plan(&*plan_);
  table_->resizeColumnsToContents();
  title_->setText(QString("%1 (%2). %3")
                      .arg(QString::fromStdString(plan_->name), QString::fromStdString(plan_->goal),
                           QString::fromStdString(plan_->certificate.text)));
  draw();
  const auto best = std::ranges::find(plan_->designs, std::size_t{0}, verdict_group_of);
  if (best != plan_->designs.end()) choose(static_cast<std::size_t>(best - plan_->designs.begin()));
}

void PlanView::choose(std::size_t design) {
  for (const Scatter& scatter : scatters()) scatter.plot->set_chosen(design);
  why_->setText(say(design).join("\n"));
  const std::optional<int> row = model_->row_of(design);
  if (row && table_->currentIndex().row() != *row) table_->selectRow(*row);
}

void PlanView::draw() {
  if (!plan_) return;
  for (const Scatter& scatter : scatters()) draw(scatter);
}

void PlanView::draw(const Scatter& scatter) {
  std::vector<Dot> dots;
  std::vector<std::pair<double, double>> points;  // less is better
  std::vector<double> xs;
  std::vector<double> ys;
  constexpr double absent = std::numeric_limits<double>::quiet_NaN();
  for (const std::size_t i : model_->shown()) {
    const PlanDesign& design = plan_->designs[i];
    const std::optional<double> x = design.*scatter.x;
    const std::optional<double> y = design.*scatter.y;
    if (!x || !y) continue;
    dots.push_back(
        {.x = *x, .y = *y, .group = verdict_group_of(design), .id = i, .hollow = !at_best_estimate(design)});
    const bool sure = at_best_estimate(design);  // the others are out, whatever their figures look like
    points.emplace_back(sure ? scatter.sign * *x : absent, scatter.sign * *y);
    xs.push_back(*x);
    ys.push_back(*y);
  }
  const bool less_is_better = scatter.sign > 0;
  scatter.plot->set_axes(
      axis_around(xs, less_is_better ? Quantity::usd : Quantity::tokens_per_s, false,
                  less_is_better ? "usd_per_hour" : "tokens_per_s_per_user"),
      axis_around(ys, less_is_better ? Quantity::latency_s : Quantity::tokens_per_s, less_is_better,
                  less_is_better ? "ttft_p99_s" : "tokens_per_s_per_gpu"));
  GuideLine front{.style = Qt::DashLine};
  for (const std::size_t i : front_of(points)) front.points.emplace_back(dots[i].x, dots[i].y);
  scatter.plot->set_lines({front});
  scatter.plot->set_dots(verdict_groups(), std::move(dots));
}

QStringList PlanView::say(std::size_t i) const {
  const PlanDesign& design = plan_->designs[i];
  QStringList settings;
  for (const std::string& setting : design.settings) settings << QString::fromStdString(setting);
  QStringList lines{settings.join("  ")};
  lines << QString::fromStdString(design.verdict) +
               (design.why.empty() ? QString() : ": " + QString::fromStdString(design.why));
  if (!at_best_estimate(design)) lines << whose_figures(design);
  return lines;
}

}  // namespace servecast::gui
