#include "gui/data/scenario_document.h"

#include <QFile>
#include <QSaveFile>

#include "gui/data/program.h"

namespace servecast::gui {
namespace {

using nlohmann::ordered_json;

QString read_text(const QString& file) {
  QFile input(file);
  if (!input.open(QIODevice::ReadOnly)) throw UserError({file.toStdString()}, input.errorString().toStdString());
  return QString::fromUtf8(input.readAll());
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
  text_ = read_text(file);
  if (!file_.isEmpty()) watcher_.removePath(file_);
  file_ = file;
  watcher_.addPath(file_);
  history_.clear();
  done_ = 0;
  settings_ = ordered_json::object();
  refresh();
}

void ScenarioDocument::set(const QString& path, const QString& value) {
  history_ = history_.mid(0, done_);
  history_ << path + "=" + value;
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

void ScenarioDocument::save() {
  if (!edited()) return;
  const Answer answer = ask_servecast(QStringList{"set", file_} + edits());
  if (answer.status != 0) throw UserError(answer.complaints.trimmed().toStdString());
  open(file_);
}

void ScenarioDocument::save_as(const QString& file) {
  QSaveFile output(file);
  if (!output.open(QIODevice::WriteOnly) || output.write(changed_text().toUtf8()) < 0 || !output.commit())
    throw UserError({file.toStdString()}, output.errorString().toStdString());
  open(file);
}

QString ScenarioDocument::changed_text() const {
  if (!edited()) return read_text(file_);
  const Answer answer = ask_servecast(QStringList{"set", file_} + edits() + QStringList{"--dry-run"});
  if (answer.status != 0) throw UserError(answer.complaints.trimmed().toStdString());
  return QString::fromUtf8(answer.out);
}

void ScenarioDocument::refresh() {
  try {
    check();
    if (problems_.empty()) text_ = changed_text();
  } catch (const UserError& error) {  // there is no servecast to ask, or the text cannot be changed (anchors)
    problems_ = error.problems();
  }
  emit changed();
}

void ScenarioDocument::check() {
  QStringList arguments{"check", file_, "--format", "json"};
  for (const QString& edit : edits()) arguments << "--set" << edit;
  const Answer answer = ask_servecast(arguments);
  const auto json = ordered_json::parse(answer.out.begin(), answer.out.end(), nullptr, false);
  problems_.clear();
  if (!json.is_object()) {
    problems_ = {{{file_.toStdString()}, "", answer.complaints.trimmed().toStdString()}};
    return;
  }
  for (const auto& each : json.value("problems", ordered_json::array())) problems_.push_back(problem_of(each));
  if (json.contains("settings")) settings_ = json["settings"];
}

}  // namespace servecast::gui
