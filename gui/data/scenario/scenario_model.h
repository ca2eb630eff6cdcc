#pragma once
#include <QAbstractItemModel>
#include <memory>

#include "gui/data/scenario/scenario_document.h"
#include "gui/data/scenario/schema.h"

namespace servecast::gui {

/// A setting of the scenario, or a map of them.
struct SettingNode {
  const SchemaEntry* about = nullptr;  // none for an entry of a list, which is "[0]"
  QString path{};                      // "pools[0].router.policy"
  QString title{};
  const nlohmann::ordered_json* value = nullptr;  // none: not set
  QString problem{};
  SettingNode* parent = nullptr;
  int row = 0;
  std::vector<std::unique_ptr<SettingNode>> children{};

  bool is_default() const;
};

/// The scenario as a tree: every setting that the schema knows, with the value in use. Writing a value edits the
/// document; the tree then changes row by row, so views keep what is unfolded and chosen.
class ScenarioModel final : public QAbstractItemModel {
  Q_OBJECT

 public:
  enum Column { title_column, value_column, unit_column, column_count };

  ScenarioModel(const Schema& schema, ScenarioDocument& document, QObject* parent = nullptr);

  QModelIndex index(int row, int column, const QModelIndex& parent = {}) const override;
  QModelIndex parent(const QModelIndex& child) const override;
  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  Qt::ItemFlags flags(const QModelIndex& index) const override;
  QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
  bool setData(const QModelIndex& index, const QVariant& value, int role = Qt::EditRole) override;
  QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

  const SettingNode& node(const QModelIndex& index) const;
  QModelIndex index_of(const QString& path) const;

 private:
  void follow_document();
  void build(SettingNode& root) const;
  void merge(SettingNode& into, SettingNode& from);
  void merge_row(SettingNode& row, SettingNode& from);
  void remove_rows(SettingNode& parent, std::size_t first, std::size_t last);
  void insert_row(SettingNode& parent, std::size_t at, std::unique_ptr<SettingNode> row);
  QModelIndex index_of(const SettingNode& node) const;
  void add_children(SettingNode& parent, const std::string& schema_path, const nlohmann::ordered_json* value) const;
  void add_child(SettingNode& parent, const SchemaEntry& about, const std::string& key,
                 const nlohmann::ordered_json* map) const;
  void add_named(SettingNode& parent, const SchemaEntry& about, const nlohmann::ordered_json* map) const;
  void add_entries(SettingNode& list) const;
  QString problem_at(const QString& path) const;
  QModelIndex find(const QModelIndex& under, const QString& path) const;

  const Schema& schema_;
  ScenarioDocument& document_;
  nlohmann::ordered_json settings_{};  // what the nodes point into; the document's change before the tree does
  SettingNode root_{};
};

/// The edit that choosing a policy makes: the map beside it, with what the other policy knows too kept.
QString with_policy(const Schema& schema, const SettingNode& policy, const QString& name);

}  // namespace servecast::gui
