#include "gui/view/scenario/yaml_editor.h"

#include <QFontDatabase>
#include <QPainter>
#include <QTextBlock>
#include <QTimer>
#include <algorithm>

#include "gui/view/parts/theme.h"
#include "gui/view/scenario/yaml_highlighter.h"

namespace servecast::gui {
namespace {

constexpr int pause_ms = 500;
constexpr int space_beside_numbers = 8;

/// How many characters two texts begin with alike, at most `most`; reversed: end with.
qsizetype alike(const QString& a, const QString& b, qsizetype most, bool reversed) {
  qsizetype n = 0;
  const auto at = [&](const QString& text) { return text[reversed ? text.size() - 1 - n : n]; };
  while (n < most && at(a) == at(b)) ++n;
  while (n > 0 && a[reversed ? a.size() - n : n - 1].isSurrogate()) --n;  // never half a character
  return n;
}

}  // namespace

YamlEditor::YamlEditor(QWidget* parent) : QPlainTextEdit(parent) {
  setLineWrapMode(NoWrap);
  setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
  setUndoRedoEnabled(false);
  highlighter_ = new YamlHighlighter(document());
  numbers_ = new QWidget(this);
  numbers_->installEventFilter(this);
  pause_ = new QTimer(this);
  pause_->setSingleShot(true);
  pause_->setInterval(pause_ms);
  connect(pause_, &QTimer::timeout, this, &YamlEditor::commit);
  connect(this, &QPlainTextEdit::textChanged, pause_, qOverload<>(&QTimer::start));
  connect(this, &QPlainTextEdit::blockCountChanged, this, &YamlEditor::make_room);
  connect(this, &QPlainTextEdit::updateRequest, numbers_, qOverload<>(&QWidget::update));
  make_room();
}

QString YamlEditor::text() const {  // toPlainText() would make plain spaces of others
  return document()->toRawText().replace(QChar::ParagraphSeparator, '\n');
}

void YamlEditor::show_text(const QString& text) {
  const QString now = this->text();
  const qsizetype shorter = std::min(now.size(), text.size());
  const qsizetype before = alike(now, text, shorter, false);
  const qsizetype after = alike(now, text, shorter - before, true);
  QTextCursor cursor(document());
  cursor.setPosition(static_cast<int>(before));
  cursor.setPosition(static_cast<int>(now.size() - after), QTextCursor::KeepAnchor);
  cursor.insertText(text.mid(before, text.size() - before - after));
  told_ = this->text();
}

void YamlEditor::mark_lines(const std::vector<int>& lines) { highlighter_->set_wrong_lines(lines); }

void YamlEditor::go_to(int line, int column) {
  const QTextBlock block = document()->findBlockByNumber(line - 1);
  if (!block.isValid()) return;
  QTextCursor cursor(block);
  cursor.setPosition(block.position() + std::clamp(column - 1, 0, block.length() - 1));
  setTextCursor(cursor);
  centerCursor();
  setFocus();
}

void YamlEditor::commit() {
  pause_->stop();
  if (text() == told_) return;
  told_ = text();
  emit typed(told_);
}

void YamlEditor::keyPressEvent(QKeyEvent* event) {
  if (event->matches(QKeySequence::Undo) || event->matches(QKeySequence::Redo)) {
    commit();
    return event->matches(QKeySequence::Undo) ? emit undo_wanted() : emit redo_wanted();
  }
  if (event->key() == Qt::Key_Tab) return insertPlainText("  ");  // YAML allows no tabs
  QPlainTextEdit::keyPressEvent(event);
}

void YamlEditor::focusOutEvent(QFocusEvent* event) {
  commit();
  QPlainTextEdit::focusOutEvent(event);
}

void YamlEditor::make_room() {
  const QString largest = QString::number(std::max(100, blockCount()));
  const int width = fontMetrics().horizontalAdvance(largest) + 2 * space_beside_numbers;
  setViewportMargins(width, 0, 0, 0);
  const QRect inner = contentsRect();
  numbers_->setGeometry(inner.left(), inner.top(), width, inner.height());
}

void YamlEditor::resizeEvent(QResizeEvent* event) {
  QPlainTextEdit::resizeEvent(event);
  make_room();
}

void YamlEditor::changeEvent(QEvent* event) {
  QPlainTextEdit::changeEvent(event);
  if (event->type() == QEvent::PaletteChange && highlighter_) highlighter_->rehighlight();
}

bool YamlEditor::eventFilter(QObject* watched, QEvent* event) {
  if (watched == numbers_ && event->type() == QEvent::Paint) paint_numbers();
  return QPlainTextEdit::eventFilter(watched, event);
}

void YamlEditor::paint_numbers() {
  QPainter painter(numbers_);
  painter.setFont(font());
  painter.setPen(theme_of(palette()).muted);
  const int width = numbers_->width() - space_beside_numbers;
  for (QTextBlock block = firstVisibleBlock(); block.isValid(); block = block.next()) {
    const QRectF place = blockBoundingGeometry(block).translated(contentOffset());
    if (place.top() > numbers_->height()) break;
    painter.drawText(QRectF(0, place.top(), width, place.height()), Qt::AlignRight | Qt::AlignVCenter,
                     QString::number(block.blockNumber() + 1));
  }
}

}  // namespace servecast::gui
