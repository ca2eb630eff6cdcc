#include "gui/data/scenario/moved_paths.h"

#include <QDir>
#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "gui/data/runs/program.h"
#include "gui/data/scenario/schema.h"

namespace servecast::gui {
namespace {

using nlohmann::ordered_json;

/// A setting with a text that may be a relative path.
struct NamedFile {
  QString path{};
  QString file{};  // that it would name
};

void collect(const ordered_json& value, const QString& path, const QDir& folder, std::vector<NamedFile>& into) {
  if (value.is_string()) {
    const QString text = QString::fromStdString(value.get<std::string>());
    if (!text.isEmpty() && QDir::isRelativePath(text))
      into.push_back({path, QDir::cleanPath(folder.absoluteFilePath(text))});
    return;
  }
  if (!value.is_structured()) return;
  int number = 0;
  for (const auto& [key, each] : value.items()) {
    const QString name = QString::fromStdString(key);
    const QString below = value.is_array() ? path + QString("[%1]").arg(number++)
                                           : (path.isEmpty() ? name : path + "." + name);
    collect(each, below, folder, into);
  }
}

/// How `file` is named in a scenario in `folder`.
QString name_from(const QString& folder, const QString& file) {
  const QFileInfo info(file);
  const QString whole = QFileInfo(info.path()).canonicalFilePath() + "/" + info.fileName();
  if (is_bundled(file)) return whole;
  const QString relative = QDir(QFileInfo(folder).canonicalFilePath()).relativeFilePath(whole);
  return relative.contains('/') ? relative : "./" + relative;  // what has no '/' may be the name of something bundled
}

}  // namespace

QStringList moved_paths(const MovingScenario& scenario) {
  std::vector<NamedFile> named;
  collect(scenario.settings, {}, QDir(scenario.from_folder), named);
  QStringList unnamed;  // files read that no setting names outright
  for (const QString& file : scenario.files_read) unnamed << QDir::cleanPath(QDir().absoluteFilePath(file));
  const QStringList read = unnamed;
  for (const NamedFile& each : named) unnamed.removeAll(each.file);
  const auto names_a_file = [&](const NamedFile& each) {
    const auto inside = [&](const QString& file) { return file.startsWith(each.file + '/'); };
    return read.contains(each.file) || std::ranges::any_of(unnamed, inside);
  };
  QStringList moved;
  for (const NamedFile& each : named)
    if (names_a_file(each))
      moved << each.path + "=" +
                   QString::fromStdString(quoted(name_from(scenario.to_folder, each.file).toStdString()));
  return moved;
}

}  // namespace servecast::gui
