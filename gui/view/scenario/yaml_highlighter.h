#pragma once
#include <QSyntaxHighlighter>
#include <vector>

namespace servecast::gui {

/// Keys and comments of a scenario's YAML in colours of the theme.
class YamlHighlighter final : public QSyntaxHighlighter {
  Q_OBJECT

 public:
  using QSyntaxHighlighter::QSyntaxHighlighter;
  /// Shades these lines (from 1) as wrong.
  void set_wrong_lines(std::vector<int> lines);

 protected:
  void highlightBlock(const QString& text) override;

 private:
  std::vector<int> wrong_lines_{};
};

}  // namespace servecast::gui
