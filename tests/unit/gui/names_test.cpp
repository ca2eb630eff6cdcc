// Names that look like HTML, XML or a place to fill in are shown as they are.
#include <gmock/gmock.h>

#include <QLabel>
#include <QListWidget>
#include <QTableView>
#include <QTest>
#include <QTextDocument>
#include <QXmlStreamReader>

#include "gui/view/cluster/cluster_view.h"
#include "gui/view/pages/compare_view.h"
#include "gui/view/pages/plan_view.h"
#include "gui/view/pages/requests_view.h"
#include "gui/view/pages/run_view.h"
#include "gui/view/plots/plot_export.h"
#include "gui/view/plots/time_plot.h"
#include "gui/view/scenario/scenario_view.h"
#include "models/base/escaped.h"
#include "tests/unit/gui/report_files.h"
#include "tests/unit/gui/shown_window.h"
#include "tests/unit/gui/small_scenario.h"

namespace servecast::gui::names_test {

using testing::HasSubstr;
using testing::Not;

const std::string hostile = R"(=<b>x</b> & "%2" <img src=y>)";

std::string with(std::string text, const std::string& old, const std::string& now) {
  for (std::size_t at = 0; (at = text.find(old, at)) != std::string::npos; at += now.size())
    text.replace(at, old.size(), now);
  return text;
}

const std::string cell = servecast::csv_cell(hostile);

class Names : public ShownWindow {
 protected:
  void SetUp() override {
    ShownWindow::SetUp();
    Summary summary{.version = "0.1.0", .duration_s = 8};
    summary.name = hostile;
    const std::string report = write_report(folder_, hostile_folder, with(three_requests, "chat", cell), summary);
    put_text(report + "/series.csv", with(read_text(report + "/series.csv"), "chat", cell));
    ASSERT_TRUE(window_.open_report(QString::fromStdString(report))) << window_.notice().toStdString();
  }
  /// Labels that would show HTML of others: those that decide by the look of a text, and it looks like it.
  QStringList fooled() {
    QStringList all;
    for (const QLabel* label : window_.findChildren<QLabel*>())
      if (label->textFormat() == Qt::AutoText && Qt::mightBeRichText(label->text())) all << label->text();
    return all;
  }
  static constexpr const char* hostile_folder = "<b>x & y";  // a file's name has no slash
};

/// What a person reads of a tooltip.
std::string read(const QString& tip) {
  if (!Qt::mightBeRichText(tip)) return tip.toStdString();
  QTextDocument document;
  document.setHtml(tip);
  return document.toPlainText().toStdString();
}

TEST_F(Names, ArePlainInLabelsAndTips) {
  window_.go(View::requests);
  window_.requests_view().choose(0);
  window_.compare({0});
  EXPECT_FALSE(window_.open_report("/no/<b>such</b>/report"));
  ASSERT_TRUE(window_.open_scenario(write_small_scenario(folder_)));
  window_.document().set("pools[0].gpu", "'<b>h</b>'");
  EXPECT_EQ(fooled().join("; ").toStdString(), "");
  const auto gpu = window_.scenario_view().model()->index_of("pools[0].gpu");
  EXPECT_THAT(read(gpu.data(Qt::ToolTipRole).toString()), HasSubstr("<b>h</b>"));
  const auto* list = window_.findChildren<QListWidget*>().back();
  EXPECT_THAT(read(list->item(0)->toolTip()), HasSubstr(hostile));
  EXPECT_THAT(read(list->item(0)->toolTip()), HasSubstr(hostile_folder));
}

TEST_F(Names, ArePlainInPlans) {
  PlanReport plan{.name = hostile, .goal = "least_cost"};
  plan.designs = {{.settings = {"engine=" + hostile}, .verdict = "breaks", .why = hostile, .usd_per_hour = 2}};
  PlanView& view = window_.plan_view();
  view.show_plan(plan);
  view.choose(0);
  EXPECT_EQ(fooled().join("; ").toStdString(), "");
  EXPECT_EQ(read(view.model().index(0, 0).data(Qt::ToolTipRole).toString()), hostile);
  EXPECT_EQ(view.model().index(0, 0).data().toString().toStdString(), hostile);
}

/// The texts of an SVG file, or what is wrong with its XML.
std::string svg_texts(const std::string& file) {
  QXmlStreamReader xml(QString::fromStdString(read_text(file)));
  QString texts;
  while (!xml.atEnd())
    if (xml.readNext() == QXmlStreamReader::Characters) texts += xml.text();
  return xml.hasError() ? xml.errorString().toStdString() : texts.toStdString();
}

TEST_F(Names, ArePlainInExportedPlots) {
  window_.go(View::run);
  QCoreApplication::processEvents();
  for (TimePlot* plot : window_.run_view().findChildren<TimePlot*>()) {
    if (plot->title() != "KV blocks in use") continue;
    plot->resize(900, 300);
    plot->set_title(QString::fromStdString(hostile));
    export_plot(*plot, QString::fromStdString((folder_ / "p.svg").string()));
    export_plot(*plot, QString::fromStdString((folder_ / "p.csv").string()));
    EXPECT_THAT(svg_texts(folder_ / "p.svg"), HasSubstr(hostile));
    EXPECT_THAT(read_text(folder_ / "p.csv"), HasSubstr("\n" + cell + ",1,0.75"));
  }
}

}  // namespace servecast::gui::names_test
