#pragma once
#include <QString>

class QMenu;
class QWidget;

namespace servecast::gui {

class Plot;

/// Writes the plot to a .png (twice the size on screen), .svg or .csv file, by the name's ending.
/// Throws UserError where the file cannot be written or the ending is another.
void export_plot(const Plot& plot, const QString& file);

/// Writes all plots below a widget as PNG, SVG and CSV, named by their titles. Returns how many plots there were.
int export_all(const QWidget& parent, const QString& folder);

/// "Save as PNG ...", and so on.
void add_export_actions(QMenu& menu, Plot& plot);

}  // namespace servecast::gui
