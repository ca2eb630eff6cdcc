#include "gui/data/tables/comparison.h"

#include <QCoreApplication>
#include <array>
#include <cmath>

#include "gui/data/report/report.h"

namespace servecast::gui {
namespace {

constexpr std::array compared{"slo.attained_fraction",
                              "slo.goodput_requests_per_s",
                              "ttft_s.p50",
                              "ttft_s.p90",
                              "ttft_s.p99",
                              "tpot_s.p50",
                              "tpot_s.p90",
                              "tpot_s.p99",
                              "e2e_s.p50",
                              "e2e_s.p90",
                              "e2e_s.p99",
                              "requests_per_s",
                              "output_tokens_per_s",
                              "gpus",
                              "cost.usd_per_hour",
                              "cost.usd_per_million_output_tokens",
                              "energy.j_per_output_token"};

ReportedFigure reported(const Report& report, const std::string& key) {
  ReportedFigure figure{.value = FigureValues(report.summary).of(key)};
  if (!report.interval) return figure;
  figure.p05 = FigureValues(report.interval->p05).of(key);
  figure.p95 = FigureValues(report.interval->p95).of(key);
  return figure;
}

}  // namespace

QString heading_of(const Figure& figure) {
  return QCoreApplication::translate("servecast::Figure", figure.heading.c_str());
}

std::optional<double> ComparisonRow::change(std::size_t report) const {
  const auto& first = reported.front().value;
  const auto& here = reported[report].value;
  if (!first || !here || *first == 0) return std::nullopt;
  return *here / *first - 1;
}

std::optional<bool> ComparisonRow::apart(std::size_t report) const {
  const ReportedFigure& a = reported.front();
  const ReportedFigure& b = reported[report];
  if (!a.p05 || !a.p95 || !b.p05 || !b.p95) return std::nullopt;
  return *a.p95 < *b.p05 || *b.p95 < *a.p05;
}

std::vector<ComparisonRow> compare(std::span<Report* const> reports) {
  std::vector<ComparisonRow> rows;
  for (const char* key : compared) {
    ComparisonRow row{.figure = figure(key)};
    for (const Report* report : reports) row.reported.push_back(reported(*report, key));
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
  const ReportedFigure& here = row.reported[report];
  if (!here.value) return "—";
  const auto text_of = [&](double value) { return QString::fromStdString(row.figure.text(value)); };
  QString text = text_of(*here.value);
  if (here.p05 && here.p95 && *here.p05 < *here.p95)
    text += QString("  [%1 … %2]").arg(text_of(*here.p05), text_of(*here.p95));
  if (const auto change = row.change(report); report > 0 && change)
    text += QString("   %1%2 %").arg(*change < 0 ? "−" : "+").arg(std::abs(*change) * 100, 0, 'f', 1);
  return text;
}

int ComparisonModel::better(const ComparisonRow& row, std::size_t report) const {
  constexpr double worth_a_colour = 0.005;  // half a percent
  const auto change = row.change(report);
  if (report == 0 || !change || row.figure.better == Better::neither || std::abs(*change) < worth_a_colour ||
      !row.apart(report).value_or(true))
    return 0;
  return (*change < 0) == (row.figure.better == Better::lower) ? 1 : -1;
}

QVariant ComparisonModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid()) return {};
  const ComparisonRow& row = rows_[static_cast<std::size_t>(index.row())];
  if (index.column() == 0) return role == Qt::DisplayRole ? QVariant(heading_of(row.figure)) : QVariant();
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
