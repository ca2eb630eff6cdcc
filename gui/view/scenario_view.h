#pragma once
#include <QSet>
#include <QWidget>
#include <memory>

#include "gui/data/scenario_model.h"

class QHBoxLayout;
class QLabel;
class QPlainTextEdit;
class QTreeView;

namespace servecast::gui {

class YamlHighlighter;

/// A scenario as a tree of settings with an editor each, and as the YAML it stands for.
class ScenarioView final : public QWidget {
  Q_OBJECT

 public:
  /// `document` must live as long as the view.
  explicit ScenarioView(ScenarioDocument& document, QWidget* parent = nullptr);

  /// Opens the editor of a setting, or shows it only.
  void go_to(const QString& path);
  /// Puts buttons beside the file's name; the last one stands out.
  void set_buttons(const QList<QAction*>& actions);
  ScenarioModel* model() { return model_.get(); }

 protected:
  void changeEvent(QEvent* event) override;

 private:
  void make_model();
  void show_document();
  void show_setting();
  void keep_open();
  void open_again();
  QString problems_text() const;

  ScenarioDocument& document_;
  std::unique_ptr<Schema> schema_{};
  std::unique_ptr<ScenarioModel> model_{};
  QSet<QString> open_{};  // paths of maps that are unfolded
  QString current_{};
  QLabel* file_ = nullptr;
  QHBoxLayout* buttons_ = nullptr;
  QTreeView* tree_ = nullptr;
  QLabel* help_ = nullptr;
  QLabel* problems_ = nullptr;
  QPlainTextEdit* yaml_ = nullptr;
  YamlHighlighter* highlighter_ = nullptr;
};

}  // namespace servecast::gui
