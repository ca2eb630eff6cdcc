#include "gui/data/tables/request_model.h"

#include <algorithm>

#include "gui/data/report/requests.h"

namespace servecast::gui {

RequestModel::RequestModel(const Requests& requests, QObject* parent)
    : QAbstractTableModel(parent), requests_(requests), fields_(request_fields(requests)) {
  rearrange();
}

int RequestModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(shown_.size());
}
int RequestModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(fields_.size());
}

QVariant RequestModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid()) return {};
  const RequestField& field = fields_[static_cast<std::size_t>(index.column())];
  if (role == Qt::DisplayRole) return field.text(request_row(index.row()));
  if (role == Qt::TextAlignmentRole)
    return QVariant::fromValue(Qt::Alignment(Qt::AlignVCenter | (field.words ? Qt::AlignHCenter : Qt::AlignRight)));
  return {};
}

QVariant RequestModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || section < 0 || section >= columnCount()) return {};
  const std::string_view key = fields_[static_cast<std::size_t>(section)].key;
  if (role == Qt::DisplayRole) return QString::fromUtf8(key.data(), static_cast<qsizetype>(key.size()));
  return {};
}

void RequestModel::sort(int column, Qt::SortOrder order) {
  if (column < 0 || column >= columnCount()) return;
  column_ = column;
  order_ = order;
  rearrange();
}

void RequestModel::set_filter(const std::string& text) {
  filter_ = text.empty() ? std::vector<std::uint8_t>{} : filter_rows(text, fields_, requests_.size());
  rearrange();
}

void RequestModel::set_chosen(std::vector<std::uint8_t> mask) {
  chosen_ = std::move(mask);
  rearrange();
}

void RequestModel::rearrange() {
  if (!sorted_.contains(column_))
    sorted_[column_] = sorted_by(fields_[static_cast<std::size_t>(column_)], requests_.size());
  const SortedRows& sorted = sorted_[column_];
  std::vector<std::uint32_t> shown;
  shown.reserve(sorted.rows.size());
  const auto add = [&](std::uint32_t row) {
    if ((filter_.empty() || filter_[row]) && (chosen_.empty() || chosen_[row])) shown.push_back(row);
  };
  const auto middle = sorted.rows.begin() + static_cast<std::ptrdiff_t>(sorted.with_value);
  if (order_ == Qt::AscendingOrder)
    std::for_each(sorted.rows.begin(), middle, add);
  else
    std::for_each(std::make_reverse_iterator(middle), sorted.rows.rend(), add);
  std::for_each(middle, sorted.rows.end(), add);  // rows without a value come last either way

  beginResetModel();
  shown_ = std::move(shown);
  endResetModel();
}

}  // namespace servecast::gui
