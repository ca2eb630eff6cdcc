#pragma once
#include <QSet>
#include <QStringList>
#include <QWidget>
#include <memory>

#include "gui/data/scenario/scenario_model.h"

class QHBoxLayout;
class QLabel;
class QStackedWidget;
class QTreeView;

namespace servecast::gui {

class YamlEditor;

/// A scenario as a tree of settings with an editor each, and as the YAML it stands for, which can be edited too.
class ScenarioView final : public QWidget {
  Q_OBJECT

 public:
  /// `document` must live as long as the view.
  explicit ScenarioView(ScenarioDocument& document, QWidget* parent = nullptr);

  /// Opens the editor of a setting, or shows it only.
  void go_to(const QString& path);
  /// Hands over what is being typed, before the document is saved or run.
  void commit();
  /// Puts buttons beside the file's name; the last one stands out.
  void set_buttons(const QList<QAction*>& actions);
  ScenarioModel* model() { return model_.get(); }
  QTreeView& tree() { return *tree_; }
  YamlEditor& yaml() { return *yaml_; }

 private:
  void make_form();
  void make_model();
  void show_document();
  void show_form();
  void show_problems();
  void show_setting();
  void unfold(const QModelIndex& parent, int first, int last);

  ScenarioDocument& document_;
  QStringList plugins_{};  // whose policies the schema knows
  std::unique_ptr<Schema> schema_{};
  std::unique_ptr<ScenarioModel> model_{};
  QSet<QString> open_{};  // paths of maps that are unfolded, whether they are there or not
  QString shown_file_{};
  QLabel* file_ = nullptr;
  QHBoxLayout* buttons_ = nullptr;
  QStackedWidget* form_ = nullptr;  // the tree, or what stands in its way
  QLabel* obstacle_ = nullptr;
  QTreeView* tree_ = nullptr;
  QLabel* help_ = nullptr;
  QLabel* problems_ = nullptr;
  YamlEditor* yaml_ = nullptr;
};

}  // namespace servecast::gui
