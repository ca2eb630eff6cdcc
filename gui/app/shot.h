#pragma once
#include <QSize>
#include <QString>
#include <QStringList>

namespace servecast::gui {

/// What `--shot` was asked for.
struct ShotOrder {
  QString view{};        // one of view_names
  QStringList inputs{};  // report folders; for "scenario" a file
  QString picture{};     // .png
  QSize size{1360, 880};
  bool dark = false;
  double time_s = -1;  // of the cluster view; below 0: the middle
};

/// Renders a view into a picture. Throws UserError where an input or the picture is wrong.
void take_shot(const ShotOrder& order);

}  // namespace servecast::gui
