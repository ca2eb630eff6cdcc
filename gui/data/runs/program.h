#pragma once
#include <QByteArray>
#include <QFileInfo>
#include <QList>
#include <QString>
#include <QStringList>

namespace servecast::gui {

/// What a command printed and how it ended.
struct Answer {
  int status = 0;
  QByteArray out{};
  QString complaints{};
};

/// Where the program `servecast` lies: beside this one, or on the PATH.
QString servecast_path();

/// The scenarios that come with the program: installed beside it, or in the source tree.
QFileInfoList bundled_scenarios();

/// Whether a file came with the program, and so is never written.
bool is_bundled(const QString& file);

/// Names of what `servecast list KIND` shows, e.g. "gpus". Empty where the program cannot be asked.
QStringList listed_names(const QString& kind);

/// Runs `servecast` and waits for its end: for commands that take a moment (schema, check, set, list). It reads `input`
/// from its standard input. Throws UserError where the program cannot be started or does not end in time.
Answer ask_servecast(const QStringList& arguments, const QByteArray& input = {});

}  // namespace servecast::gui
