#include "gui/view/plots/plot_export.h"

#include <QApplication>
#include <QClipboard>
#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QImage>
#include <QMenu>
#include <QMessageBox>
#include <QPainter>
#include <QRegularExpression>
#include <QSaveFile>
#include <QSvgGenerator>

#include "gui/view/plots/plot.h"
#include "models/base/error.h"

namespace servecast::gui {
namespace {

QImage image_of(const Plot& plot) {
  constexpr int scale = 2;
  QImage image(plot.size() * scale, QImage::Format_ARGB32_Premultiplied);
  image.setDevicePixelRatio(scale);
  image.fill(Qt::transparent);
  QPainter painter(&image);
  plot.paint(painter, plot.rect());
  return image;
}

bool write_svg(const Plot& plot, const QString& file) {
  QSvgGenerator svg;
  svg.setFileName(file);
  svg.setSize(plot.size());
  svg.setViewBox(plot.rect());
  svg.setTitle(plot.title().toHtmlEscaped());  // Qt writes it as it is
  QPainter painter;
  if (!painter.begin(&svg)) return false;
  plot.paint(painter, plot.rect());
  return painter.end();
}

bool write_csv(const Plot& plot, const QString& file) {
  QSaveFile output(file);
  return output.open(QIODevice::WriteOnly) && output.write(plot.csv().toUtf8()) >= 0 && output.commit();
}

/// "Time to first token" -> "time_to_first_token".
QString file_name(const Plot& plot) {
  static const QRegularExpression others("[^\\w]+");
  return plot.title().toLower().replace(others, "_");
}

}  // namespace

void export_plot(const Plot& plot, const QString& file) {
  const QString ending = QFileInfo(file).suffix().toLower();
  bool written = false;
  if (ending == "png")
    written = image_of(plot).save(file);
  else if (ending == "svg")
    written = write_svg(plot, file);
  else if (ending == "csv")
    written = write_csv(plot, file);
  else
    throw UserError({file.toStdString()}, "plots are written as .png, .svg or .csv");
  if (!written) throw UserError({file.toStdString()}, "cannot be written");
}

int export_all(const QWidget& parent, const QString& folder) {
  const auto plots = parent.findChildren<Plot*>();
  if (!QDir().mkpath(folder)) throw UserError({folder.toStdString()}, "cannot be made");
  for (const Plot* plot : plots)
    for (const char* ending : {".png", ".svg", ".csv"}) export_plot(*plot, folder + "/" + file_name(*plot) + ending);
  return static_cast<int>(plots.size());
}

void add_export_actions(QMenu& menu, Plot& plot) {
  for (const QString ending : {"png", "svg", "csv"}) {
    menu.addAction(Plot::tr("Save as %1…").arg(ending.toUpper()), &plot, [&plot, ending] {
      const QString file = QFileDialog::getSaveFileName(&plot, Plot::tr("Save plot"), file_name(plot) + "." + ending);
      if (file.isEmpty()) return;
      try {
        export_plot(plot, file);
      } catch (const UserError& error) {
        QMessageBox box(QMessageBox::Warning, Plot::tr("Save plot"), QString::fromStdString(error.what()),
                        QMessageBox::Ok, &plot);
        box.setTextFormat(Qt::PlainText);  // a name in it may look like HTML
        box.exec();
      }
    });
  }
  menu.addAction(Plot::tr("Copy image"), &plot, [&plot] { QApplication::clipboard()->setImage(image_of(plot)); });
}

}  // namespace servecast::gui
