#include "gui/view/scenario/setting_delegate.h"

#include <QComboBox>
#include <QLineEdit>

#include "gui/data/runs/program.h"
#include "gui/data/scenario/scenario_model.h"
#include "gui/view/parts/theme.h"

namespace servecast::gui {
namespace {

const SettingNode& node_of(const QModelIndex& index) {
  return static_cast<const ScenarioModel*>(index.model())->node(index);
}

/// Settings that name something of the library, and what `servecast list` calls its kind.
const std::map<std::string, QString>& listed_kinds() {
  static const std::map<std::string, QString> kinds{
      {"llm", "llms"}, {"gpu", "gpus"}, {"node", "nodes"}, {"fabric", "fabrics"}, {"engine", "engines"}};
  return kinds;
}

}  // namespace

QStringList SettingDelegate::names_of(const std::string& key) const {
  const auto kind = listed_kinds().find(key);
  if (kind == listed_kinds().end()) return {};
  if (const auto known = names_.find(key); known != names_.end()) return known->second;
  return names_[key] = listed_names(kind->second);
}

QWidget* SettingDelegate::createEditor(QWidget* parent, const QStyleOptionViewItem&, const QModelIndex& index) const {
  const SettingNode& setting = node_of(index);
  QStringList choices;
  if (setting.about != nullptr) {
    for (const std::string& choice : setting.about->choices) choices << QString::fromStdString(choice);
    if (setting.about->type == "boolean") choices = QStringList{"true", "false"};
    if (choices.isEmpty()) choices = names_of(setting.about->key);
  }
  if (choices.isEmpty()) {
    auto* line = new QLineEdit(parent);
    if (setting.about != nullptr)
      line->setPlaceholderText(
          QString::fromStdString(setting.about->default_text + "  " + setting.about->range_text()).trimmed());
    return line;
  }
  auto* box = new QComboBox(parent);
  box->addItems(choices);
  box->setEditable(setting.about->choices.empty() && setting.about->type == "text");  // a file's path works too
  if (!setting.about->alternatives.empty())
    for (int i = 0; i < box->count(); ++i)
      for (const auto& [name, help] : setting.about->alternatives)
        if (box->itemText(i) == QString::fromStdString(name))
          box->setItemData(i, QString::fromStdString(help), Qt::ToolTipRole);
  connect(box, &QComboBox::activated, this, [this, box] {
    auto* self = const_cast<SettingDelegate*>(this);
    emit self->commitData(box);
    emit self->closeEditor(box);
  });
  return box;
}

void SettingDelegate::setEditorData(QWidget* editor, const QModelIndex& index) const {
  const QString text = index.data(Qt::EditRole).toString();
  if (auto* box = qobject_cast<QComboBox*>(editor)) {
    const int at = box->findText(text);
    at >= 0 ? box->setCurrentIndex(at) : box->setCurrentText(text);
  } else if (auto* line = qobject_cast<QLineEdit*>(editor)) {
    line->setText(text);
  }
}

void SettingDelegate::setModelData(QWidget* editor, QAbstractItemModel* model, const QModelIndex& index) const {
  if (const auto* box = qobject_cast<QComboBox*>(editor)) model->setData(index, box->currentText());
  if (const auto* line = qobject_cast<QLineEdit*>(editor)) model->setData(index, line->text());
}

void SettingDelegate::initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const {
  QStyledItemDelegate::initStyleOption(option, index);
  const SettingNode& setting = node_of(index);
  const Theme& t = theme_of(option->palette);
  if (!setting.problem.isEmpty()) option->palette.setColor(QPalette::Text, t.bad);
  if (index.column() == ScenarioModel::unit_column) option->palette.setColor(QPalette::Text, t.muted);
  if (index.column() != ScenarioModel::value_column) return;
  if (setting.value == nullptr) option->palette.setColor(QPalette::Text, t.muted);
  if (!setting.is_default()) option->font.setWeight(QFont::DemiBold);
}

}  // namespace servecast::gui
