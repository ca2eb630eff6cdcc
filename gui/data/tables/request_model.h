#pragma once
#include <QAbstractTableModel>
#include <map>
#include <optional>

#include "gui/data/tables/request_fields.h"

namespace servecast::gui {

/// The table of requests. Sorting and filtering rearrange an index of row numbers, so a million rows stay quick.
class RequestModel final : public QAbstractTableModel {
  Q_OBJECT

 public:
  /// `requests` must live as long as the model.
  explicit RequestModel(const Requests& requests, QObject* parent = nullptr);

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;
  void sort(int column, Qt::SortOrder order = Qt::AscendingOrder) override;

  /// Shows the rows that `text` lets through (filter_rows()); throws UserError and changes nothing where it is wrong.
  void set_filter(const std::string& text);
  /// Shows only rows that the mask has, of those the filter lets through; none: all.
  void set_chosen(std::vector<std::uint8_t> mask);

  /// Row of `requests` that is shown there.
  std::size_t request_row(int row) const { return shown_[static_cast<std::size_t>(row)]; }
  const std::vector<RequestField>& fields() const { return fields_; }

 private:
  void rearrange();

  const Requests& requests_;
  std::vector<RequestField> fields_;
  std::map<int, SortedRows> sorted_{};  // by column, kept: the second click costs nothing
  std::vector<std::uint8_t> filter_{};  // empty: everything
  std::vector<std::uint8_t> chosen_{};
  std::vector<std::uint32_t> shown_{};
  int column_ = 0;
  Qt::SortOrder order_ = Qt::AscendingOrder;
};

}  // namespace servecast::gui
