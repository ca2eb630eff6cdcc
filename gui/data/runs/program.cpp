#include "gui/data/runs/program.h"

#include <QCoreApplication>
#include <QDir>
#include <QProcess>
#include <QStandardPaths>
#include <nlohmann/json.hpp>

#include "models/base/error.h"

namespace servecast::gui {

QString servecast_path() {
  const QString beside = QCoreApplication::applicationDirPath() + "/servecast";
  if (QFileInfo(beside).isExecutable()) return beside;
  return QStandardPaths::findExecutable("servecast");
}

/// Where the scenarios that come with the program lie; not there: nowhere.
static QDir bundled_folder() {
  const QDir installed(QCoreApplication::applicationDirPath() + "/../share/servecast/scenarios");
  return installed.exists() ? installed : QDir(QStringLiteral(SERVECAST_SOURCE_DIR "/scenarios"));
}

QFileInfoList bundled_scenarios() { return bundled_folder().entryInfoList({"*.yaml"}, QDir::Files, QDir::Name); }

bool is_bundled(const QString& file) {
  const QString bundled = bundled_folder().canonicalPath();
  const QFileInfo info(file);
  const QString folder = QFileInfo(info.exists() ? info.canonicalFilePath() : info.absoluteFilePath()).path();
  const QString whole = QFileInfo(folder).canonicalFilePath();
  return !bundled.isEmpty() && (whole == bundled || whole.startsWith(bundled + '/'));
}

Answer ask_servecast(const QStringList& arguments, const QByteArray& input) {
  constexpr int patience_ms = 30'000;
  if (servecast_path().isEmpty()) throw UserError("servecast lies neither beside this program nor on the PATH");
  QProcess process;
  process.start(servecast_path(), arguments);
  process.write(input);
  process.closeWriteChannel();
  if (!process.waitForFinished(patience_ms)) {
    process.kill();
    process.waitForFinished();
    throw UserError("servecast " + arguments.value(0).toStdString() + ": " + process.errorString().toStdString());
  }
  return {process.exitCode(), process.readAllStandardOutput(), QString::fromUtf8(process.readAllStandardError())};
}

QStringList listed_names(const QString& kind) {
  QByteArray text;
  try {
    text = ask_servecast({"list", kind, "--format", "json"}).out;
  } catch (const UserError&) {
    return {};  // a convenience: names can be typed
  }
  const auto json = nlohmann::json::parse(text.begin(), text.end(), nullptr, false);
  QStringList names;
  if (json.is_array())
    for (const auto& each : json) names << QString::fromStdString(each.value("name", ""));
  return names;
}

}  // namespace servecast::gui
