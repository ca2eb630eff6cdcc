// Designs of a plan: the table, the fronts, the picture.
#include <gmock/gmock.h>

#include <QAbstractItemModelTester>
#include <QLabel>
#include <QSignalSpy>
#include <QTest>
#include <limits>

#include "gui/data/tables/plan_model.h"
#include "gui/view/pages/plan_view.h"
#include "gui/view/plots/scatter_plot.h"
#include "sim/plan/report/plan_report.h"

namespace servecast::gui::plan_test {

using testing::ElementsAre;

PlanDesign design(const std::string& gpu, int replicas, const std::string& verdict) {
  return {.settings = {"gpu=" + gpu, "replicas=" + std::to_string(replicas)}, .verdict = verdict};
}

PlanDesign simulated(PlanDesign d, double usd_per_hour, double ttft_p99_s) {
  d.usd_per_hour = usd_per_hour;
  d.ttft_p99_s = ttft_p99_s;
  d.tokens_per_s_per_user = 1 / ttft_p99_s;
  d.tokens_per_s_per_gpu = 100 / usd_per_hour;
  return d;
}

/// Two that would do, one that breaks its promise, one that does not fit.
PlanReport four_designs() {
  PlanReport plan{.name = "chat", .goal = "least_cost"};
  plan.designs = {simulated(design("a100", 2, "breaks"), 4, 0.9), simulated(design("a100", 10, "keeps"), 20, 0.3),
                  simulated(design("h100", 3, "chosen"), 9, 0.2), design("l40s", 1, "impossible")};
  plan.designs[3].settings.push_back("ratio=1:3");  // a dimension that the others do not use
  plan.designs[0].why = "TTFT p99 of 0.9 s is above 0.5 s";
  plan.designs[0].figures_of = "beginning";
  for (std::size_t i : {1u, 2u}) plan.designs[i].figures_of = "best_estimate";
  for (PlanDesign& d : plan.designs) d.gpus = 8;
  return plan;
}

TEST(FrontOf, KeepsWhatNoneBeats) {
  const double absent = std::numeric_limits<double>::quiet_NaN();
  const std::vector<std::pair<double, double>> points{{3, 1}, {1, 3}, {2, 4}, {2, 2}, {absent, 0}, {3, 1}};
  EXPECT_THAT(front_of(points), ElementsAre(1, 3, 0));
  EXPECT_THAT(front_of({}), ElementsAre());
}

class PlanTable : public testing::Test {
 protected:
  PlanReport plan_ = four_designs();
  PlanModel model_;
  QAbstractItemModelTester tester_{&model_, QAbstractItemModelTester::FailureReportingMode::Fatal};

  void SetUp() override { model_.set_plan(&plan_); }
  QString text(int row, int column) const { return model_.index(row, column).data().toString(); }
};

TEST_F(PlanTable, HasDimensionsVerdictAndFigures) {
  EXPECT_EQ(model_.rowCount(), 4);
  EXPECT_EQ(model_.headerData(1, Qt::Horizontal).toString(), "replicas");
  EXPECT_EQ(text(1, 0), "a100");
  EXPECT_EQ(text(1, 2), "");
  EXPECT_EQ(text(3, 2), "1:3");
  EXPECT_EQ(text(1, 3), "keeps");
  EXPECT_EQ(text(1, 5), "$20.00");
  EXPECT_EQ(text(3, 5), "—");
  EXPECT_EQ(model_.index(0, 2).data(Qt::ToolTipRole).toString(), "<qt>TTFT p99 of 0.9 s is above 0.5 s</qt>");
}

QStringList titles(const PlanModel& model) {
  QStringList all;
  for (int column = 0; column < model.columnCount(); ++column)
    all << model.headerData(column, Qt::Horizontal).toString();
  return all;
}

/// Without an slo no design has kept it: no empty column.
TEST_F(PlanTable, LeavesOutFiguresThatNoDesignHas) {
  EXPECT_FALSE(titles(model_).contains("SLO kept"));
  EXPECT_TRUE(titles(model_).contains("TTFT p99"));
  EXPECT_FALSE(titles(model_).contains("TPOT p99"));
  plan_.designs[1].attained_fraction = 0.99;
  model_.set_plan(&plan_);
  EXPECT_TRUE(titles(model_).contains("SLO kept"));
  EXPECT_EQ(text(1, 6), "99.0 %");
}

TEST_F(PlanTable, SortsByFigures) {
  model_.sort(5, Qt::AscendingOrder);
  EXPECT_THAT(model_.shown(), ElementsAre(0, 2, 1, 3));  // a design without a cost comes last
}

TEST_F(PlanTable, FiltersByWordsOfSettingsAndVerdict) {
  model_.set_filter("A100 keeps");
  EXPECT_THAT(model_.shown(), ElementsAre(1));
  EXPECT_EQ(model_.row_of(1), 0);
  EXPECT_EQ(model_.row_of(2), std::nullopt);
  model_.set_filter("");
  EXPECT_EQ(model_.rowCount(), 4);
}

/// All that the labels of the view say.
QString said(const PlanView& view) {
  QStringList all;
  for (const QLabel* label : view.findChildren<QLabel*>()) all << label->text();
  return all.join('\n');
}

/// Whether the middle of a dot is the ground that it is drawn on.
bool ring_at(ScatterPlot& plot, const QPointF& place) {
  const QImage image = plot.grab().toImage();
  const QPoint middle = (place * image.devicePixelRatio()).toPoint();
  return image.pixelColor(middle) == image.pixelColor(middle + QPoint(9, 9));
}

TEST(PlanWindow, DrawsDesignsAndOpensOne) {
  PlanView view;
  view.resize(1000, 700);
  view.show_plan(four_designs());
  view.show();
  ASSERT_TRUE(QTest::qWaitForWindowExposed(&view, 120'000));
  EXPECT_TRUE(view.costs().place_of(0));
  EXPECT_FALSE(view.costs().place_of(3));  // nothing was simulated
  view.choose(0);
  EXPECT_TRUE(said(view).contains("only the beginning"));
  view.choose(1);
  EXPECT_FALSE(said(view).contains("Figures:"));
  EXPECT_TRUE(ring_at(view.costs(), *view.costs().place_of(0)));
  EXPECT_FALSE(ring_at(view.costs(), *view.costs().place_of(1)));
  QSignalSpy wanted(&view, &PlanView::design_wanted);
  QTest::mouseDClick(&view.costs(), Qt::LeftButton, {}, view.costs().place_of(1)->toPoint());
  EXPECT_EQ(wanted.count(), 1);
}

std::vector<std::string> legend_of(const PlanReport& plan) {
  PlanView view;
  view.resize(1400, 700);
  view.show_plan(plan);
  std::vector<std::string> names;
  for (const LegendEntry& entry : view.costs().entries()) names.push_back(entry.text.toStdString());
  return names;
}

/// A design that was not needed may well keep its promises: it is not counted among those that break one.
TEST(PlanWindow, LegendTellsBrokenPromisesFromDesignsNotNeeded) {
  PlanReport plan = four_designs();
  EXPECT_THAT(legend_of(plan), ElementsAre("best", "keeps its promises, or may", "breaks a promise"));
  plan.designs[0].verdict = "not_needed";
  EXPECT_THAT(legend_of(plan), ElementsAre("best", "keeps its promises, or may", "no better than the best"));
}

}  // namespace servecast::gui::plan_test
