#pragma once
#include <QFileSystemWatcher>
#include <QObject>
#include <QStringList>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "models/base/error.h"

namespace servecast::gui {

/// A scenario file and the edits made to it but not saved yet: settings (`path=value` of `servecast set`, which keeps
/// comments and order), and texts typed in place of all that was there. What the file would then say is at hand at
/// any time, and a run gets it without its being saved.
class ScenarioDocument final : public QObject {
  Q_OBJECT

 public:
  explicit ScenarioDocument(QObject* parent = nullptr);

  /// Forgets earlier edits. Throws UserError where the file cannot be read. From then on it follows what others write
  /// into the file, keeping the edits.
  void open(const QString& file);

  void set(const QString& path, const QString& value);
  /// The whole text, as the user typed it.
  void set_text(const QString& text);
  bool can_undo() const { return done_ > 0; }
  bool can_redo() const { return done_ < history_.size(); }
  void undo();
  void redo();
  /// Whether it cannot go into its own file: one that came with the program, or that this user cannot write.
  bool needs_a_name() const;
  /// Writes the edits into the file. Throws UserError where settings are wrong, the file cannot be written, or it
  /// needs a name.
  void save();
  /// Writes the edited scenario to another file and opens that; relative paths in it are changed to name the same
  /// files from there. Gives these changes, as `path: value`. Throws UserError likewise.
  QStringList save_as(const QString& file);

  const QString& file() const { return file_; }
  bool edited() const { return done_ > 0; }
  /// What a run needs beside the file: the text typed in its place (none: the file's), and then settings.
  std::optional<QString> typed_text() const;
  QStringList settings_set() const;
  /// As the file would read after save(); where settings are wrong, as it last read.
  const QString& text() const { return text_; }
  /// What is wrong with it; empty: it can be run.
  const std::vector<Problem>& problems() const { return problems_; }
  /// Whether the text itself is wrong, not a setting made since.
  bool text_is_wrong() const { return !problems_.empty() && settings_set().isEmpty(); }
  /// Every setting as it is used, defaults included; where something is wrong, as it last was. Empty where it never
  /// was right since it was opened.
  const nlohmann::ordered_json& settings() const { return settings_; }
  /// Files of the libraries of policies that it names, from the root; likewise.
  const QStringList& plugins() const { return plugins_; }

 signals:
  void changed();

 private:
  struct Edit {
    QString path{};  // none: `value` is the whole text
    QString value{};
  };

  void add(Edit edit);
  qsizetype last_typed() const;
  void refresh();
  void check();
  QByteArray base() const;    // the file, or what was typed in its place
  QByteArray result() const;  // with the settings made since

  QFileSystemWatcher watcher_;
  QString file_{};
  QList<Edit> history_{};  // edits, and behind `done_` those undone
  qsizetype done_ = 0;
  QString text_{};
  std::vector<Problem> problems_{};
  QStringList files_read_{};  // while nothing is wrong
  QStringList plugins_{};
  nlohmann::ordered_json settings_ = nlohmann::ordered_json::object();
};

}  // namespace servecast::gui
