#pragma once
#include <QString>

namespace servecast::gui {

/// A text as a tooltip: Qt would take one that looks like HTML, such as a pool named "<b>x", for HTML.
inline QString as_tip(const QString& text) {
  return "<qt>" + text.toHtmlEscaped().replace('\n', "<br>") + "</qt>";
}

}  // namespace servecast::gui
