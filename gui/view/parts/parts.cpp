#include "gui/view/parts/parts.h"

#include <QHeaderView>
#include <QLabel>
#include <QTableView>
#include <QVBoxLayout>

namespace servecast::gui {

QWidget* column_of(std::initializer_list<QWidget*> widgets, QWidget* tall) {
  auto* column = new QWidget;
  auto* layout = new QVBoxLayout(column);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(8);
  for (QWidget* widget : widgets) layout->addWidget(widget, widget == tall ? 1 : 0);
  return column;
}

QLabel* muted_label() {
  auto* label = new QLabel;
  label->setObjectName("muted");
  label->setTextFormat(Qt::PlainText);
  return label;
}

QLabel* wrapped_label(const char* look) {
  auto* label = new QLabel;
  label->setObjectName(look);
  label->setWordWrap(true);
  label->setTextFormat(Qt::PlainText);
  label->setTextInteractionFlags(Qt::TextSelectableByMouse);
  return label;
}

void dress(QTableView& table) {
  table.setAlternatingRowColors(true);
  table.setShowGrid(false);
  table.verticalHeader()->hide();
  table.verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);  // a million rows: never measured
  table.verticalHeader()->setDefaultSectionSize(table.fontMetrics().height() + 8);
}

}  // namespace servecast::gui
