#pragma once
#include <initializer_list>

class QLabel;
class QTableView;
class QWidget;

namespace servecast::gui {

// What every view is put together from.

/// The widgets below each other; `tall` takes the room that is left.
QWidget* column_of(std::initializer_list<QWidget*> widgets, QWidget* tall);

/// A text of less weight; of more than one line, which can be selected: its look is named in the style sheet. What they
/// show is no HTML, whatever it looks like.
QLabel* muted_label();
QLabel* wrapped_label(const char* look);

/// The look of tables: no grid, rows of one height, every second one shaded.
void dress(QTableView& table);

}  // namespace servecast::gui
