#include "gui/data/program.h"

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

QFileInfoList bundled_scenarios() {
  for (const QString& folder : {QCoreApplication::applicationDirPath() + "/../share/servecast/scenarios",
                                QStringLiteral(SERVECAST_SOURCE_DIR "/scenarios")})
    if (const QDir scenarios(folder); scenarios.exists())
      return scenarios.entryInfoList({"*.yaml"}, QDir::Files, QDir::Name);
  return {};
}

Answer ask_servecast(const QStringList& arguments) {
  constexpr int patience_ms = 30'000;
  if (servecast_path().isEmpty()) throw UserError("servecast lies neither beside this program nor on the PATH");
  QProcess process;
  process.start(servecast_path(), arguments, QIODevice::ReadOnly);
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
