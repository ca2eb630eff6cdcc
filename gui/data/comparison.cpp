#include "gui/data/comparison.h"

#include <cmath>
#include <functional>

#include "gui/data/report.h"
#include "sim/report/summary.h"

namespace servecast::gui {
namespace {

using Get = std::function<std::optional<double>(const Summary&)>;

struct Line {
  QString name;
  Quantity quantity;
  bool less_is_better;
  Get get;
};

void add_latency(std::vector<Line>& lines, const QString& name, std::optional<Statistics> Latencies::*latency) {
  const auto add = [&](const char* which, double Statistics::*figure) {
    lines.push_back({name + " " + which, Quantity::latency_s, true, [=](const Summary& s) -> std::optional<double> {
                       if (!(s.latencies.*latency)) return std::nullopt;
                       return (s.latencies.*latency).value().*figure;
                     }});
  };
  add("p50", &Statistics::p50);
  add("p90", &Statistics::p90);
  add("p99", &Statistics::p99);
}

double all_gpus(const Summary& s) {
  std::int64_t gpus = 0;
  for (const PoolSummary& pool : s.pools) gpus += pool.gpus;
  return static_cast<double>(gpus);
}

std::vector<Line> lines_of_the_table() {
  using enum Quantity;
  std::vector<Line> lines;
  lines.push_back(
      {ComparisonModel::tr("SLO kept"), fraction, false, [](const Summary& s) { return s.slo.attained_fraction; }});
  lines.push_back({ComparisonModel::tr("Goodput, requests/s"), number, false,
                   [](const Summary& s) { return s.slo.goodput_requests_per_s; }});
  add_latency(lines, "TTFT", &Latencies::ttft_s);
  add_latency(lines, "TPOT", &Latencies::tpot_s);
  add_latency(lines, "E2E", &Latencies::e2e_s);
  lines.push_back(
      {ComparisonModel::tr("Requests/s"), number, false, [](const Summary& s) { return s.requests_per_s; }});
  lines.push_back(
      {ComparisonModel::tr("Output tokens/s"), count, false, [](const Summary& s) { return s.output_tokens_per_s; }});
  lines.push_back({ComparisonModel::tr("GPUs"), count, true, [](const Summary& s) { return all_gpus(s); }});
  lines.push_back(
      {ComparisonModel::tr("Price per hour"), usd, true, [](const Summary& s) { return s.cost.usd_per_hour; }});
  lines.push_back({ComparisonModel::tr("Per million output tokens"), usd, true,
                   [](const Summary& s) { return s.cost.usd_per_million_output_tokens; }});
  lines.push_back({ComparisonModel::tr("Energy per output token"), joules, true,
                   [](const Summary& s) { return s.energy.j_per_output_token; }});
  return lines;
}

}  // namespace

std::optional<double> ComparisonRow::change(std::size_t report) const {
  const auto& first = figures.front().value;
  const auto& here = figures[report].value;
  if (!first || !here || *first == 0) return std::nullopt;
  return *here / *first - 1;
}

std::optional<bool> ComparisonRow::apart(std::size_t report) const {
  const Figure& a = figures.front();
  const Figure& b = figures[report];
  if (!a.p05 || !a.p95 || !b.p05 || !b.p95) return std::nullopt;
  return *a.p95 < *b.p05 || *b.p95 < *a.p05;
}

std::vector<ComparisonRow> compare(std::span<Report* const> reports) {
  std::vector<ComparisonRow> rows;
  for (const Line& line : lines_of_the_table()) {
    ComparisonRow row{.name = line.name, .quantity = line.quantity, .less_is_better = line.less_is_better};
    for (const Report* report : reports) {
      Figure figure{.value = line.get(report->summary)};
      if (report->interval) {
        figure.p05 = line.get(report->interval->p05);
        figure.p95 = line.get(report->interval->p95);
      }
      row.figures.push_back(figure);
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

void ComparisonModel::set_reports(std::span<Report* const> reports) {
  beginResetModel();
  rows_ = reports.empty() ? std::vector<ComparisonRow>{} : compare(reports);
  labels_.clear();
  for (const Report* report : reports) labels_.push_back(QString::fromStdString(report->label));
  endResetModel();
}

int ComparisonModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(rows_.size());
}
int ComparisonModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() || labels_.empty() ? 0 : static_cast<int>(labels_.size()) + 1;
}

QString ComparisonModel::text(const ComparisonRow& row, std::size_t report) const {
  const Figure& figure = row.figures[report];
  if (!figure.value) return "—";
  QString text = text_of(row.quantity, *figure.value);
  if (figure.p05 && figure.p95 && *figure.p05 < *figure.p95)
    text += QString("  [%1 … %2]").arg(text_of(row.quantity, *figure.p05), text_of(row.quantity, *figure.p95));
  if (const auto change = row.change(report); report > 0 && change)
    text += QString("   %1%2 %").arg(*change < 0 ? "−" : "+").arg(std::abs(*change) * 100, 0, 'f', 1);
  return text;
}

int ComparisonModel::better(const ComparisonRow& row, std::size_t report) const {
  constexpr double worth_a_colour = 0.005;  // half a percent
  const auto change = row.change(report);
  if (report == 0 || !change || std::abs(*change) < worth_a_colour || !row.apart(report).value_or(true)) return 0;
  return (*change < 0) == row.less_is_better ? 1 : -1;
}

QVariant ComparisonModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid()) return {};
  const ComparisonRow& row = rows_[static_cast<std::size_t>(index.row())];
  if (index.column() == 0) return role == Qt::DisplayRole ? QVariant(row.name) : QVariant();
  const auto report = static_cast<std::size_t>(index.column() - 1);
  if (role == Qt::DisplayRole) return text(row, report);
  if (role == better_role) return better(row, report);
  if (role == Qt::TextAlignmentRole) return QVariant::fromValue(Qt::Alignment(Qt::AlignRight | Qt::AlignVCenter));
  if (role == Qt::ToolTipRole && row.apart(report) == false && report > 0)
    return tr("The 90 % intervals overlap: the difference may be chance.");
  return {};
}

QVariant ComparisonModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || role != Qt::DisplayRole || section < 0 || section >= columnCount()) return {};
  return section == 0 ? tr("Figure") : labels_[static_cast<std::size_t>(section - 1)];
}

}  // namespace servecast::gui
