#pragma once
#include <QSyntaxHighlighter>

namespace servecast::gui {

/// Keys and comments of a scenario's YAML in colours of the theme.
class YamlHighlighter final : public QSyntaxHighlighter {
  Q_OBJECT

 public:
  using QSyntaxHighlighter::QSyntaxHighlighter;
  /// Shades this line (from 1) as wrong; 0: none.
  void set_wrong_line(int line);

 protected:
  void highlightBlock(const QString& text) override;

 private:
  int wrong_line_ = 0;
};

}  // namespace servecast::gui
