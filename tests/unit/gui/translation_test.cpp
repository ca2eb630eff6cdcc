#include <gmock/gmock.h>

#include <QApplication>
#include <QFile>
#include <QLabel>
#include <QPushButton>
#include <QTranslator>

#include "gui/app/main_window.h"
#include "gui/data/tables/comparison.h"

namespace servecast::gui::translation_test {

TEST(Translation, chinese_is_complete) {
  QFile file(SERVECAST_SOURCE_DIR "/gui/i18n/servecast_zh_CN.ts");
  ASSERT_TRUE(file.open(QIODevice::ReadOnly));
  const QByteArray text = file.readAll();
  EXPECT_FALSE(text.contains("unfinished"));
  EXPECT_FALSE(text.contains("vanished"));
  EXPECT_GT(text.count("<message"), 100);
}

TEST(Translation, headings_of_figures_are_complete) {
  QFile file(SERVECAST_SOURCE_DIR "/gui/i18n/figures_zh_CN.ts");
  ASSERT_TRUE(file.open(QIODevice::ReadOnly));
  const QString text = QString::fromUtf8(file.readAll());
  for (const ComparisonRow& row : compare({}))
    EXPECT_TRUE(text.contains("<source>" + QString::fromStdString(row.figure.heading) + "</source>"))
        << row.figure.heading;
}

TEST(Translation, chinese_reaches_the_window) {
  QTranslator translator;
  ASSERT_TRUE(translator.load(SERVECAST_QM_FILE));
  QApplication::installTranslator(&translator);
  const MainWindow window;
  QStringList texts;
  for (const QPushButton* button : window.findChildren<QPushButton*>()) texts << button->text();
  EXPECT_TRUE(texts.contains("运行"));
  EXPECT_FALSE(texts.contains("Run"));
}

}  // namespace servecast::gui::translation_test
