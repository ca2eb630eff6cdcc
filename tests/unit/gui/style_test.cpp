// What our style does to widgets that are not ours.
#include <gmock/gmock.h>

#include <QApplication>
#include <QFileDialog>
#include <QTest>
#include <QToolButton>
#include <set>

#include "gui/view/parts/theme.h"

namespace servecast::gui::style_test {

/// Buttons that show an icon and nothing else, all of one colour: blank.
QStringList blank_buttons(QWidget& parent) {
  QStringList blank;
  for (QToolButton* button : parent.findChildren<QToolButton*>()) {
    if (!button->isVisible() || button->icon().isNull()) continue;
    const QImage image = button->grab(button->rect().adjusted(3, 3, -3, -3)).toImage();
    std::set<QRgb> colours;
    for (int x = 0; x < image.width(); ++x)
      for (int y = 0; y < image.height(); ++y) colours.insert(image.pixel(x, y));
    if (colours.size() < 4) blank << button->objectName();
  }
  return blank;
}

TEST(Style, file_dialogs_keep_the_icons_of_their_buttons) {
  for (const bool dark : {false, true}) {
    QApplication::setPalette(palette_of(dark));
    qApp->setStyleSheet(style_of(dark));
    QFileDialog dialog;
    dialog.setOption(QFileDialog::DontUseNativeDialog);
    dialog.show();
    ASSERT_TRUE(QTest::qWaitForWindowExposed(&dialog, 120'000));
    ASSERT_GT(dialog.findChildren<QToolButton*>().size(), 3);
    EXPECT_EQ(blank_buttons(dialog).join(' ').toStdString(), "");
  }
  qApp->setStyleSheet({});
}

}  // namespace servecast::gui::style_test
