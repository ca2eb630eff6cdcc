#include "gui/data/scenario/scenario_document.h"

#include <QFile>
#include <QFileInfo>
#include <QSaveFile>

#include "gui/data/runs/program.h"
#include "gui/data/scenario/moved_paths.h"

namespace servecast::gui {
namespace {

using nlohmann::ordered_json;

QByteArray read_bytes(const QString& file) {
  QFile input(file);
  if (!input.open(QIODevice::ReadOnly)) throw UserError({file.toStdString()}, input.errorString().toStdString());
  return input.readAll();
}

void write_bytes(const QString& file, const QByteArray& text) {
  QSaveFile output(file);
  if (!output.open(QIODevice::WriteOnly) || output.write(text) < 0 || !output.commit())
    throw UserError({file.toStdString()}, output.errorString().toStdString());
}

/// The text of a file, with settings changed. Throws UserError where the outcome is wrong.
QByteArray with_settings(const QByteArray& text, const QString& file, const QStringList& settings) {
  if (settings.isEmpty()) return text;
  const Answer answer =
      ask_servecast(QStringList{"set", file} + settings + QStringList{"--dry-run", "--text", "-"}, text);
  if (answer.status != 0) throw UserError(answer.complaints.trimmed().toStdString());
  return answer.out;
}

Problem problem_of(const ordered_json& json) {
  const auto number = [&](const char* key) { return json[key].is_number() ? json[key].get<int>() : 0; };
  return {.place = {json.value("file", ""), number("line"), number("column")},
          .path = json.value("path", ""),
          .message = json.value("message", "")};
}

}  // namespace

ScenarioDocument::ScenarioDocument(QObject* parent) : QObject(parent) {
  connect(&watcher_, &QFileSystemWatcher::fileChanged, this, [this] {
    if (!QFile::exists(file_)) return;
    watcher_.addPath(file_);  // an editor that replaces the file ends the watch
    refresh();
  });
}

void ScenarioDocument::open(const QString& file) {
  text_ = QString::fromUtf8(read_bytes(file));
  if (!file_.isEmpty()) watcher_.removePath(file_);
  file_ = file;
  watcher_.addPath(file_);
  history_.clear();
  done_ = 0;
  settings_ = ordered_json::object();
  refresh();
}

void ScenarioDocument::set(const QString& path, const QString& value) { add({path, value}); }

void ScenarioDocument::set_text(const QString& text) {
  QString whole = text;
  if (text_.contains("\r\n")) whole.replace('\n', "\r\n");
  if (whole != text_) add({.value = whole});
}

void ScenarioDocument::add(Edit edit) {
  history_ = history_.mid(0, done_);
  history_ << std::move(edit);
  ++done_;
  refresh();
}

void ScenarioDocument::undo() {
  if (!can_undo()) return;
  --done_;
  refresh();
}

void ScenarioDocument::redo() {
  if (!can_redo()) return;
  ++done_;
  refresh();
}

qsizetype ScenarioDocument::last_typed() const {
  qsizetype at = done_ - 1;
  while (at >= 0 && !history_[at].path.isEmpty()) --at;
  return at;
}

std::optional<QString> ScenarioDocument::typed_text() const {
  const qsizetype typed = last_typed();
  return typed < 0 ? std::nullopt : std::optional(history_[typed].value);
}

QStringList ScenarioDocument::settings_set() const {
  QStringList all;
  for (qsizetype i = last_typed() + 1; i < done_; ++i) all << history_[i].path + "=" + history_[i].value;
  return all;
}

bool ScenarioDocument::needs_a_name() const {
  const QFileInfo info(file_);
  return is_bundled(file_) || !info.isWritable() || !QFileInfo(info.path()).isWritable();
}

void ScenarioDocument::save() {
  if (!edited()) return;
  if (needs_a_name()) throw UserError({file_.toStdString()}, "is not written; give the scenario a name of its own");
  write_bytes(file_, result());
  open(file_);
}

QStringList ScenarioDocument::save_as(const QString& file) {
  if (is_bundled(file)) throw UserError({file.toStdString()}, "comes with the program; choose another folder");
  const QString from = QFileInfo(file_).path(), to = QFileInfo(file).path();
  QStringList moved;
  if (problems_.empty() && QFileInfo(from).canonicalFilePath() != QFileInfo(to).canonicalFilePath())
    moved = moved_paths({settings_, files_read_, from, to});
  write_bytes(file, with_settings(result(), file, moved));
  open(file);
  return moved;
}

QByteArray ScenarioDocument::base() const {
  const std::optional<QString> typed = typed_text();
  return typed ? typed->toUtf8() : read_bytes(file_);
}

QByteArray ScenarioDocument::result() const { return with_settings(base(), file_, settings_set()); }

void ScenarioDocument::refresh() {
  try {
    if (settings_set().isEmpty()) text_ = QString::fromUtf8(base());
    check();
    if (problems_.empty()) text_ = QString::fromUtf8(result());
  } catch (const UserError& error) {  // there is no servecast to ask, or the text cannot be changed (anchors)
    problems_ = error.problems();
  }
  emit changed();
}

void ScenarioDocument::check() {
  QStringList arguments{"check", file_, "--format", "json"};
  if (typed_text()) arguments << "--text" << "-";
  for (const QString& setting : settings_set()) arguments << "--set" << setting;
  const Answer answer = ask_servecast(arguments, typed_text().value_or(QString()).toUtf8());
  const auto json = ordered_json::parse(answer.out.begin(), answer.out.end(), nullptr, false);
  problems_.clear();
  files_read_.clear();
  if (!json.is_object()) {
    problems_ = {{{file_.toStdString()}, "", answer.complaints.trimmed().toStdString()}};
    return;
  }
  for (const auto& each : json.value("problems", ordered_json::array())) problems_.push_back(problem_of(each));
  for (const auto& each : json.value("files", ordered_json::array()))
    files_read_ << QString::fromStdString(each.get<std::string>());
  if (json.contains("settings")) settings_ = json["settings"];
  if (!problems_.empty()) return;  // as it last was
  plugins_.clear();
  for (const auto& each : json.value("plugins", ordered_json::array()))
    plugins_ << QString::fromStdString(each.get<std::string>());
}

}  // namespace servecast::gui
