#include "gui/view/scenario/yaml_highlighter.h"

#include <QGuiApplication>
#include <QRegularExpression>
#include <QTextDocument>
#include <algorithm>

#include "gui/view/parts/theme.h"

namespace servecast::gui {

void YamlHighlighter::set_wrong_lines(std::vector<int> lines) {
  if (lines == wrong_lines_) return;
  wrong_lines_ = std::move(lines);
  rehighlight();
}

void YamlHighlighter::highlightBlock(const QString& text) {
  static const QRegularExpression key(R"((?:^|[{,\-])\s*([A-Za-z_][\w.]*)\s*:)");
  static const QRegularExpression comment(R"((?:^|\s)#.*$)");
  const QPalette palette = QGuiApplication::palette();
  const Theme& t = theme_of(palette);
  QTextCharFormat format;
  if (std::ranges::find(wrong_lines_, currentBlock().blockNumber() + 1) != wrong_lines_.end()) {
    QColor shade = t.bad;
    shade.setAlpha(60);
    format.setBackground(shade);
    setFormat(0, static_cast<int>(text.size()), format);
  }
  format.setForeground(t.accent);
  for (auto all = key.globalMatch(text); all.hasNext();) {
    const QRegularExpressionMatch match = all.next();
    setFormat(static_cast<int>(match.capturedStart(1)), static_cast<int>(match.capturedLength(1)), format);
  }
  format.setForeground(t.muted);
  format.setFontItalic(true);
  const QRegularExpressionMatch match = comment.match(text);
  if (match.hasMatch())
    setFormat(static_cast<int>(match.capturedStart()), static_cast<int>(match.capturedLength()), format);
}

}  // namespace servecast::gui
