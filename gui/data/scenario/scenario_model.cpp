#include "gui/data/scenario/scenario_model.h"

#include <QRegularExpression>
#include <algorithm>
#include <utility>

#include "gui/data/words/tip.h"
#include "models/base/fields.h"

namespace servecast::gui {
namespace {

using nlohmann::ordered_json;

QString text_of(const ordered_json& value) {
  return QString::fromStdString(value.is_string() ? value.get<std::string>() : flow_yaml(value));
}

const ordered_json* member(const ordered_json* map, const std::string& key) {
  return map != nullptr && map->is_object() && map->contains(key) ? &(*map)[key] : nullptr;
}

/// Whether an entry belongs to the policy that the map names.
bool applies(const SchemaEntry& about, const ordered_json* map) {
  if (about.only_with_value.empty()) return true;
  const ordered_json* policy = member(map, "policy");
  return policy != nullptr && *policy == about.only_with_value;
}

std::string schema_path(const QString& path) {
  static const QRegularExpression number(R"(\[\d+\])");
  return QString(path).replace(number, "[]").toStdString();
}

}  // namespace

bool SettingNode::is_default() const {
  return value == nullptr || value->is_structured() || about == nullptr ||
         (!about->default_text.empty() && flow_yaml(*value) == about->default_text);
}

ScenarioModel::ScenarioModel(const Schema& schema, ScenarioDocument& document, QObject* parent)
    : QAbstractItemModel(parent), schema_(schema), document_(document) {
  connect(&document, &ScenarioDocument::changed, this, &ScenarioModel::follow_document);
  follow_document();
}

void ScenarioModel::follow_document() {
  const ordered_json before =
      std::exchange(settings_, document_.settings());  // rows point into it until they are merged
  SettingNode now;
  build(now);
  merge(root_, now);
}

void ScenarioModel::build(SettingNode& root) const {
  if (!document_.file().isEmpty()) add_children(root, "", &settings_);
}

/// Makes the rows under a node those of another one. Both are in the order of the schema, or of the list.
void ScenarioModel::merge(SettingNode& into, SettingNode& from) {
  std::size_t at = 0;
  for (std::unique_ptr<SettingNode>& row : from.children) {
    const auto same = std::find_if(into.children.begin() + static_cast<std::ptrdiff_t>(at), into.children.end(),
                                   [&](const auto& old) { return old->path == row->path; });
    if (same == into.children.end()) {
      insert_row(into, at, std::move(row));
    } else {
      remove_rows(into, at, static_cast<std::size_t>(same - into.children.begin()));
      merge_row(*into.children[at], *row);
    }
    ++at;
  }
  remove_rows(into, at, into.children.size());
}

void ScenarioModel::merge_row(SettingNode& row, SettingNode& from) {
  const bool same_value =
      (row.value == nullptr) == (from.value == nullptr) && (!row.value || *row.value == *from.value);
  const bool same = same_value && row.about == from.about && row.title == from.title && row.problem == from.problem;
  row.about = from.about;
  row.title = from.title;
  row.value = from.value;
  row.problem = from.problem;
  merge(row, from);
  if (same) return;
  const QModelIndex first = index_of(row);
  emit dataChanged(first, first.siblingAtColumn(column_count - 1));
}

void ScenarioModel::remove_rows(SettingNode& parent, std::size_t first, std::size_t last) {
  if (first == last) return;
  beginRemoveRows(index_of(parent), static_cast<int>(first), static_cast<int>(last) - 1);
  const auto begin = parent.children.begin();
  parent.children.erase(begin + static_cast<std::ptrdiff_t>(first), begin + static_cast<std::ptrdiff_t>(last));
  for (std::size_t i = first; i < parent.children.size(); ++i) parent.children[i]->row = static_cast<int>(i);
  endRemoveRows();
}

void ScenarioModel::insert_row(SettingNode& parent, std::size_t at, std::unique_ptr<SettingNode> row) {
  beginInsertRows(index_of(parent), static_cast<int>(at), static_cast<int>(at));
  row->parent = &parent;
  parent.children.insert(parent.children.begin() + static_cast<std::ptrdiff_t>(at), std::move(row));
  for (std::size_t i = at; i < parent.children.size(); ++i) parent.children[i]->row = static_cast<int>(i);
  endInsertRows();
}

QModelIndex ScenarioModel::index_of(const SettingNode& node) const {
  return &node == &root_ ? QModelIndex() : createIndex(node.row, 0, &node);
}

void ScenarioModel::add_children(SettingNode& parent, const std::string& path, const ordered_json* value) const {
  for (const SchemaEntry& about : schema_.children(path))
    if (about.key == any_name)
      add_named(parent, about, value);
    else if (applies(about, value))
      add_child(parent, about, about.key, value);
}

/// The names that the scenario gives, where the schema says that there may be any.
void ScenarioModel::add_named(SettingNode& parent, const SchemaEntry& about, const ordered_json* map) const {
  for (const auto& [name, value] : map->items()) add_child(parent, about, name, map);
}

void ScenarioModel::add_child(SettingNode& parent, const SchemaEntry& about, const std::string& key,
                              const ordered_json* map) const {
  auto node = std::make_unique<SettingNode>();
  node->about = &about;
  node->title = QString::fromStdString(key);
  node->path = parent.path.isEmpty() ? node->title : parent.path + "." + node->title;
  node->value = member(map, key);
  node->problem = problem_at(node->path);
  node->parent = &parent;
  node->row = static_cast<int>(parent.children.size());
  if (about.is_list_of_maps())
    add_entries(*node);
  else if (about.is_map() && (node->value != nullptr && node->value->is_object()))
    add_children(*node, about.path, node->value);
  parent.children.push_back(std::move(node));
}

void ScenarioModel::add_entries(SettingNode& list) const {
  if (list.value == nullptr || !list.value->is_array()) return;
  for (const ordered_json& entry : *list.value) {
    auto node = std::make_unique<SettingNode>();
    node->row = static_cast<int>(list.children.size());
    node->path = list.path + QString("[%1]").arg(node->row);
    const ordered_json* name = member(&entry, "name");
    node->title = QString("[%1]").arg(node->row) + (name ? "  " + text_of(*name) : "");
    node->value = &entry;
    node->problem = problem_at(node->path);
    node->parent = &list;
    add_children(*node, list.about->path + "[]", &entry);
    list.children.push_back(std::move(node));
  }
}

QString ScenarioModel::problem_at(const QString& path) const {
  QStringList messages;
  for (const Problem& problem : document_.problems())
    if (QString::fromStdString(problem.path) == path) messages << QString::fromStdString(problem.message);
  return messages.join("\n");
}

const SettingNode& ScenarioModel::node(const QModelIndex& index) const {
  return index.isValid() ? *static_cast<const SettingNode*>(index.constInternalPointer()) : root_;
}

QModelIndex ScenarioModel::index(int row, int column, const QModelIndex& parent) const {
  if (!hasIndex(row, column, parent)) return {};
  return createIndex(row, column, node(parent).children[static_cast<std::size_t>(row)].get());
}

QModelIndex ScenarioModel::parent(const QModelIndex& child) const {
  const SettingNode* above = child.isValid() ? node(child).parent : nullptr;
  return above == nullptr ? QModelIndex() : index_of(*above);
}

int ScenarioModel::rowCount(const QModelIndex& parent) const {
  return parent.column() > 0 ? 0 : static_cast<int>(node(parent).children.size());
}
int ScenarioModel::columnCount(const QModelIndex&) const { return column_count; }

Qt::ItemFlags ScenarioModel::flags(const QModelIndex& index) const {
  const Qt::ItemFlags flags = QAbstractItemModel::flags(index);
  return index.isValid() && index.column() == value_column ? flags | Qt::ItemIsEditable : flags;
}

QVariant ScenarioModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid()) return {};
  const SettingNode& setting = node(index);
  const bool shown = role == Qt::DisplayRole || role == Qt::EditRole;
  if (role == Qt::ToolTipRole) {
    if (!setting.problem.isEmpty()) return as_tip(setting.problem);
    return setting.about ? as_tip(QString::fromStdString(setting.about->help)) : QVariant();
  }
  if (index.column() == title_column && shown) return setting.title;
  if (index.column() == unit_column && shown)
    return setting.about && !setting.about->is_map() ? QString::fromStdString(setting.about->unit) : QVariant();
  if (index.column() != value_column || !shown) return {};
  if (setting.value == nullptr) return role == Qt::EditRole ? QString() : tr("not set");
  if (role == Qt::DisplayRole && !setting.children.empty()) return {};  // its members say it
  return text_of(*setting.value);
}

bool ScenarioModel::setData(const QModelIndex& index, const QVariant& value, int role) {
  if (role != Qt::EditRole || index.column() != value_column || !index.isValid()) return false;
  const SettingNode& setting = node(index);
  const QString text = value.toString().trimmed();
  if (text == data(index, Qt::EditRole).toString()) return false;
  if (setting.about != nullptr && !setting.about->alternatives.empty()) {
    document_.set(setting.parent->path, with_policy(schema_, setting, text));
  } else {
    const bool is_text = setting.about != nullptr && setting.about->type == "text";
    document_.set(setting.path, is_text ? QString::fromStdString(quoted(text.toStdString())) : text);
  }
  return true;
}

QVariant ScenarioModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || role != Qt::DisplayRole) return {};
  switch (section) {
    case title_column:
      return tr("Setting");
    case value_column:
      return tr("Value");
    case unit_column:
      return tr("Unit");
    default:
      return {};
  }
}

QModelIndex ScenarioModel::index_of(const QString& path) const { return find({}, path); }

QModelIndex ScenarioModel::find(const QModelIndex& under, const QString& path) const {
  for (int row = 0; row < rowCount(under); ++row) {
    const QModelIndex here = index(row, 0, under);
    if (node(here).path == path) return here;
    if (const QModelIndex below = find(here, path); below.isValid()) return below;
  }
  return {};
}

QString with_policy(const Schema& schema, const SettingNode& policy, const QString& name) {
  ordered_json map{{"policy", name.toStdString()}};
  for (const auto& sibling : policy.parent->children) {
    if (sibling.get() == &policy || sibling->value == nullptr || sibling->is_default()) continue;
    const auto& all = schema.children(schema_path(policy.parent->path));
    const bool known = std::ranges::any_of(all, [&](const SchemaEntry& about) {
      return about.key == sibling->about->key &&
             (about.only_with_value.empty() || about.only_with_value == name.toStdString());
    });
    if (known) map[sibling->about->key] = *sibling->value;
  }
  return QString::fromStdString(flow_yaml(map));
}

}  // namespace servecast::gui
