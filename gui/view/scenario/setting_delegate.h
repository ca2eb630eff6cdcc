#pragma once
#include <QStringList>
#include <QStyledItemDelegate>
#include <map>
#include <string>

namespace servecast::gui {

/// Editors for the values of a scenario: a box of choices where they are known, else a line; and how values look:
/// bold where they differ from the default, coloured where something is wrong.
class SettingDelegate final : public QStyledItemDelegate {
  Q_OBJECT

 public:
  using QStyledItemDelegate::QStyledItemDelegate;

  QWidget* createEditor(QWidget* parent, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
  void setEditorData(QWidget* editor, const QModelIndex& index) const override;
  void setModelData(QWidget* editor, QAbstractItemModel* model, const QModelIndex& index) const override;

 protected:
  void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override;

 private:
  QStringList names_of(const std::string& key) const;

  mutable std::map<std::string, QStringList> names_{};  // of `servecast list`, asked for once
};

}  // namespace servecast::gui
