#pragma once
#include <QPlainTextEdit>
#include <vector>

class QTimer;

namespace servecast::gui {

class YamlHighlighter;

/// The text of a scenario, with line numbers. What is typed is reported after a pause, so that it is checked as a
/// whole; undo and redo are the document's.
class YamlEditor final : public QPlainTextEdit {
  Q_OBJECT

 public:
  explicit YamlEditor(QWidget* parent = nullptr);

  /// Changes only what differs, so that the cursor and the place shown stay.
  void show_text(const QString& text);
  QString text() const;
  /// Shades these lines, from 1.
  void mark_lines(const std::vector<int>& lines);
  void go_to(int line, int column);
  /// Tells at once what is being typed.
  void commit();

 signals:
  void typed(const QString& text);
  void undo_wanted();
  void redo_wanted();

 protected:
  void keyPressEvent(QKeyEvent* event) override;
  void focusOutEvent(QFocusEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void changeEvent(QEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void make_room();
  void paint_numbers();

  YamlHighlighter* highlighter_ = nullptr;
  QWidget* numbers_ = nullptr;
  QTimer* pause_ = nullptr;
  QString told_{};
};

}  // namespace servecast::gui
