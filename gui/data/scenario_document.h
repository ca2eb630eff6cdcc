#pragma once
#include <QFileSystemWatcher>
#include <QObject>
#include <QStringList>
#include <nlohmann/json.hpp>
#include <vector>

#include "models/base/error.h"

namespace servecast::gui {

/// A scenario file and the edits made to it but not saved yet. Each edit is a `path=value` of `servecast set`, which
/// keeps comments and order; what the file would then say is at hand at any time, and a run gets the edits as --set.
class ScenarioDocument final : public QObject {
  Q_OBJECT

 public:
  explicit ScenarioDocument(QObject* parent = nullptr);

  /// Forgets earlier edits. Throws UserError where the file cannot be read. From then on it follows what others write
  /// into the file, keeping the edits.
  void open(const QString& file);

  void set(const QString& path, const QString& value);
  bool can_undo() const { return done_ > 0; }
  bool can_redo() const { return done_ < history_.size(); }
  void undo();
  void redo();
  /// Writes the edits into the file. Throws UserError where the scenario is wrong or the file cannot be written.
  void save();
  /// Writes the edited scenario to another file and opens that. Throws UserError likewise.
  void save_as(const QString& file);

  const QString& file() const { return file_; }
  bool edited() const { return done_ > 0; }
  QStringList edits() const { return QStringList(history_.mid(0, done_)); }
  /// As the file would read after save(); where the edits are wrong, as it last read.
  const QString& text() const { return text_; }
  /// What is wrong with it; empty: it can be run.
  const std::vector<Problem>& problems() const { return problems_; }
  /// Every setting as it is used, defaults included; where something is wrong, as it last was.
  const nlohmann::ordered_json& settings() const { return settings_; }

 signals:
  void changed();

 private:
  void refresh();
  void check();
  QString changed_text() const;

  QFileSystemWatcher watcher_;
  QString file_{};
  QStringList history_{};  // edits, and behind `done_` those undone
  qsizetype done_ = 0;
  QString text_{};
  std::vector<Problem> problems_{};
  nlohmann::ordered_json settings_ = nlohmann::ordered_json::object();
};

}  // namespace servecast::gui
