// servecast-gui: explore scenarios and reports in a window.
#include <QApplication>
#include <QCommandLineParser>
#include <QLibraryInfo>
#include <QTranslator>
#include <cstdio>

#include "gui/app/main_window.h"
#include "gui/app/shot.h"
#include "gui/view/parts/theme.h"
#include "models/base/error.h"
#include "servecast_version.h"

namespace {

using namespace servecast;
using namespace servecast::gui;

struct Options {
  QCommandLineOption shot{"shot",
                          "Render VIEW (scenario, run, cluster, requests, compare, plan, calibration) into the last "
                          "argument, a .png, and end.",
                          "VIEW"};
  QCommandLineOption dark{"dark", "Dark colours."};
  QCommandLineOption language{"language", "Language of the texts, e.g. en or zh_CN (default: the system's).", "NAME"};
  QCommandLineOption size{"size", "Size of the picture (1360x880).", "WxH", "1360x880"};
  QCommandLineOption time{"time", "Moment of the cluster view, in seconds.", "S", "-1"};
};

bool shot_wanted(int argc, char** argv) {
  for (int i = 1; i < argc; ++i)
    if (QString(argv[i]).startsWith("--shot")) return true;
  return false;
}

/// The platform without a display warns of what it lacks for real windows.
void say_what_is_serious(QtMsgType type, const QMessageLogContext&, const QString& text) {
  if (type == QtCriticalMsg || type == QtFatalMsg) std::fprintf(stderr, "%s\n", qPrintable(text));
}

void translate(QApplication& app, const QString& language) {
  const QLocale locale = language.isEmpty() ? QLocale::system() : QLocale(language);
  for (const char* texts : {"servecast", "figures"}) {
    auto* ours = new QTranslator(&app);
    if (ours->load(locale, texts, "_", ":/i18n")) QApplication::installTranslator(ours);
  }
  auto* of_qt = new QTranslator(&app);
  if (of_qt->load(locale, "qtbase", "_", QLibraryInfo::path(QLibraryInfo::TranslationsPath)))
    QApplication::installTranslator(of_qt);
}

ShotOrder shot_order(const QCommandLineParser& parser, const Options& options) {
  QStringList arguments = parser.positionalArguments();
  if (arguments.size() < 2) throw UserError("--shot VIEW needs a report (or a scenario) and a picture's name");
  ShotOrder order{.view = parser.value(options.shot), .dark = parser.isSet(options.dark)};
  order.picture = arguments.takeLast();
  order.inputs = arguments;
  const QStringList size = parser.value(options.size).split('x');
  order.size = QSize(size.value(0).toInt(), size.value(1).toInt());
  if (order.size.isEmpty())
    throw UserError("--size: '" + parser.value(options.size).toStdString() + "' is no size; write e.g. 1360x880");
  order.time_s = parser.value(options.time).toDouble();
  return order;
}

int run(QApplication& app) {
  const Options options;
  QCommandLineParser parser;
  parser.setApplicationDescription("Explore Servecast scenarios and reports in a window");
  parser.addPositionalArgument("FILE", "Scenarios (.yaml), folders of reports and plans, residuals (.csv).",
                               "[FILE...]");
  parser.addOptions({options.shot, options.dark, options.language, options.size, options.time});
  parser.addHelpOption();
  parser.addVersionOption();
  parser.process(app);
  translate(app, parser.value(options.language));
  QApplication::setPalette(palette_of(parser.isSet(options.dark)));
  app.setStyleSheet(style_of(parser.isSet(options.dark)));
  if (parser.isSet(options.shot)) {
    take_shot(shot_order(parser, options));
    return 0;
  }
  MainWindow window;
  for (const QString& name : parser.positionalArguments()) window.open(name);
  window.show();
  return QApplication::exec();
}

}  // namespace

int main(int argc, char** argv) {
  if (shot_wanted(argc, argv)) {
    qputenv("QT_QPA_PLATFORM", "offscreen");  // a shot needs no display
    qInstallMessageHandler(say_what_is_serious);
  }
  QApplication::setStyle("Fusion");
  QApplication app(argc, argv);
  QApplication::setApplicationName("servecast-gui");
  QApplication::setApplicationVersion(version);
  try {
    return run(app);
  } catch (const UserError& error) {
    std::fprintf(stderr, "servecast-gui: %s\n", error.what());
    return 2;
  }
}
