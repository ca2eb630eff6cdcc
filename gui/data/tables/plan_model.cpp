#include "gui/data/tables/plan_model.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "gui/data/words/tip.h"
#include "sim/plan/report/plan_report.h"

namespace servecast::gui {
namespace {

std::optional<double> gpus(const PlanDesign& d) {
  return d.gpus > 0 ? std::optional(static_cast<double>(d.gpus)) : std::nullopt;
}

constexpr std::array figures{
    PlanFigure{QT_TRANSLATE_NOOP("servecast::gui::PlanModel", "GPUs"), Quantity::count, gpus},
    PlanFigure{QT_TRANSLATE_NOOP("servecast::gui::PlanModel", "cost per hour"), Quantity::usd,
               [](const PlanDesign& d) { return d.usd_per_hour; }},
    PlanFigure{QT_TRANSLATE_NOOP("servecast::gui::PlanModel", "SLO kept"), Quantity::fraction,
               [](const PlanDesign& d) { return d.attained_fraction; }},
    PlanFigure{QT_TRANSLATE_NOOP("servecast::gui::PlanModel", "TTFT p99"), Quantity::latency_s,
               [](const PlanDesign& d) { return d.ttft_p99_s; }},
    PlanFigure{QT_TRANSLATE_NOOP("servecast::gui::PlanModel", "TPOT p99"), Quantity::latency_s,
               [](const PlanDesign& d) { return d.tpot_p99_s; }},
    PlanFigure{QT_TRANSLATE_NOOP("servecast::gui::PlanModel", "tokens/s per user"), Quantity::tokens_per_s,
               [](const PlanDesign& d) { return d.tokens_per_s_per_user; }},
    PlanFigure{QT_TRANSLATE_NOOP("servecast::gui::PlanModel", "tokens/s per GPU"), Quantity::tokens_per_s,
               [](const PlanDesign& d) { return d.tokens_per_s_per_gpu; }},
};

QString dimension_of(const std::string& setting) { return QString::fromStdString(setting).section('=', 0, 0); }

/// What the design has chosen of a dimension; nothing where it does not use that one.
QString choice(const PlanDesign& design, const QString& dimension) {
  const auto at = std::ranges::find(design.settings, dimension, dimension_of);
  return at == design.settings.end() ? QString() : QString::fromStdString(*at).section('=', 1);
}

}  // namespace

std::span<const PlanFigure> plan_figures() { return figures; }

std::vector<std::size_t> front_of(std::span<const std::pair<double, double>> points) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < points.size(); ++i)
    if (!std::isnan(points[i].first) && !std::isnan(points[i].second)) order.push_back(i);
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return points[i]; });
  std::vector<std::size_t> front;
  double least = std::numeric_limits<double>::infinity();
  for (const std::size_t i : order) {
    if (points[i].second >= least) continue;
    least = points[i].second;
    front.push_back(i);
  }
  return front;
}

void PlanModel::set_plan(const PlanReport* plan) {
  beginResetModel();
  plan_ = plan;
  dimensions_.clear();
  for (std::size_t i = 0; plan_ && i < plan_->designs.size(); ++i)
    for (const std::string& setting : plan_->designs[i].settings)
      if (const QString name = dimension_of(setting); std::ranges::find(dimensions_, name) == dimensions_.end())
        dimensions_.push_back(name);
  figures_.clear();
  for (const PlanFigure& figure : figures)
    if (plan_ && std::ranges::any_of(plan_->designs, [&](const PlanDesign& d) { return figure.value(d).has_value(); }))
      figures_.push_back(&figure);
  endResetModel();
  set_filter(wanted_.join(' '));
}

void PlanModel::set_filter(const QString& words) {
  beginResetModel();
  wanted_ = words.split(' ', Qt::SkipEmptyParts);
  shown_.clear();
  for (std::size_t i = 0; plan_ && i < plan_->designs.size(); ++i)
    if (matches(plan_->designs[i])) shown_.push_back(i);
  endResetModel();
}

bool PlanModel::matches(const PlanDesign& design) const {
  QString all = QString::fromStdString(design.verdict);
  for (const std::string& setting : design.settings) all += ' ' + QString::fromStdString(setting);
  return std::ranges::all_of(wanted_, [&](const QString& word) { return all.contains(word, Qt::CaseInsensitive); });
}

std::optional<int> PlanModel::row_of(std::size_t design) const {
  const auto at = std::ranges::find(shown_, design);
  return at == shown_.end() ? std::nullopt : std::optional(static_cast<int>(at - shown_.begin()));
}

int PlanModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(shown_.size());
}

int PlanModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(dimensions_.size() + 1 + figures_.size());
}

// Columns: the dimensions, the verdict, the figures.

std::optional<double> PlanModel::number(const PlanDesign& design, std::size_t column) const {
  return column > dimensions_.size() ? figures_[column - dimensions_.size() - 1]->value(design) : std::nullopt;
}

QString PlanModel::text(const PlanDesign& design, std::size_t column) const {
  if (column < dimensions_.size()) return choice(design, dimensions_[column]);
  if (column == dimensions_.size()) return QString::fromStdString(design.verdict);
  return text_of(figures_[column - dimensions_.size() - 1]->quantity,
                 number(design, column).value_or(std::numeric_limits<double>::quiet_NaN()));
}

QVariant PlanModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid()) return {};
  const PlanDesign& design = plan_->designs[shown_[static_cast<std::size_t>(index.row())]];
  const auto column = static_cast<std::size_t>(index.column());
  if (role == Qt::DisplayRole) return text(design, column);
  if (role == Qt::ToolTipRole) return design.why.empty() ? QVariant() : as_tip(QString::fromStdString(design.why));
  if (role == Qt::TextAlignmentRole && column > dimensions_.size()) return int{Qt::AlignRight | Qt::AlignVCenter};
  return {};
}

QVariant PlanModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || role != Qt::DisplayRole) return {};
  const auto column = static_cast<std::size_t>(section);
  if (column < dimensions_.size()) return dimensions_[column];
  return column == dimensions_.size() ? tr("verdict") : tr(figures_[column - dimensions_.size() - 1]->title);
}

void PlanModel::sort(int section, Qt::SortOrder order) {
  if (!plan_ || section < 0 || section >= columnCount()) return;
  const auto column = static_cast<std::size_t>(section);
  const auto less = [&](std::size_t a, std::size_t b) {
    const PlanDesign& first = plan_->designs[a];
    const PlanDesign& second = plan_->designs[b];
    if (column <= dimensions_.size()) return text(first, column).localeAwareCompare(text(second, column)) < 0;
    constexpr double last = std::numeric_limits<double>::infinity();
    return number(first, column).value_or(last) < number(second, column).value_or(last);
  };
  beginResetModel();
  std::ranges::stable_sort(shown_, [&](std::size_t a, std::size_t b) {
    return order == Qt::AscendingOrder ? less(a, b) : less(b, a);
  });
  endResetModel();
}

}  // namespace servecast::gui
