// Drives the real window, without a display: open, run, cancel, brush, compare, export.
#include <gmock/gmock.h>

#include <QApplication>
#include <QDir>
#include <QLabel>
#include <QMessageBox>
#include <QProgressBar>
#include <QPushButton>
#include <QSignalSpy>
#include <QTableView>
#include <QTest>
#include <QTimer>
#include <map>
#include <string>

#include "gui/app/shot.h"
#include "gui/view/cluster/cluster_view.h"
#include "gui/view/pages/compare_view.h"
#include "gui/view/pages/dashboard.h"
#include "gui/view/pages/plan_view.h"
#include "gui/view/pages/requests_view.h"
#include "gui/view/pages/run_view.h"
#include "gui/view/plots/distribution_plot.h"
#include "gui/view/plots/plot_export.h"
#include "gui/view/plots/time_plot.h"
#include "gui/view/scenario/scenario_view.h"
#include "tests/unit/gui/report_files.h"
#include "tests/unit/gui/shown_window.h"
#include "tests/unit/gui/small_scenario.h"

namespace servecast::gui::window_test {

using testing::HasSubstr;

constexpr int patience_ms = 60'000;

class Window : public ShownWindow {
 protected:
  QPushButton* button(const QString& text) {
    for (QPushButton* each : window_.findChildren<QPushButton*>())
      if (each->text() == text) return each;
    ADD_FAILURE() << "there is no button " << text.toStdString();
    return nullptr;
  }
  bool all_texts_have(const QString& words) {
    for (const QLabel* label : window_.findChildren<QLabel*>())
      if (label->isVisible() && label->text().contains(words)) return true;
    return false;
  }
  void run_it() {
    QSignalSpy finished(&window_.simulation(), &Simulation::finished);
    QTest::mouseClick(button("Run"), Qt::LeftButton);
    ASSERT_TRUE(finished.wait(patience_ms));
    QCoreApplication::processEvents();
  }
};

TEST_F(Window, runs_a_scenario_and_shows_what_came_out) {
  ASSERT_TRUE(window_.open_scenario(write_small_scenario(folder_)));
  window_.go(View::run);
  run_it();
  ASSERT_NE(window_.current(), nullptr);
  EXPECT_EQ(window_.current()->label, "small-1");
  EXPECT_EQ(window_.current()->requests.size(), 50u);
  EXPECT_TRUE(window_.current()->platform);
  EXPECT_TRUE(all_texts_have("SLO met"));
  EXPECT_EQ(window_.requests_view().model()->rowCount(), 50);
}

TEST_F(Window, an_edit_reaches_the_next_run_and_both_are_compared) {
  ASSERT_TRUE(window_.open_scenario(write_small_scenario(folder_)));
  window_.go(View::run);
  run_it();
  window_.document().set("pools[0].replicas", "1");
  run_it();
  EXPECT_EQ(window_.current()->label, "small-2");
  EXPECT_EQ(window_.current()->summary.pools[0].replicas, 1);
  window_.go(View::compare);
  const ComparisonModel& model = window_.compare_view().model();
  EXPECT_EQ(model.columnCount(), 3);
  EXPECT_EQ(model.headerData(1, Qt::Horizontal).toString(), "small-1");
  window_.compare({1});
  EXPECT_EQ(model.columnCount(), 2);
}

TEST_F(Window, cancel_ends_the_child_and_loses_nothing) {
  ASSERT_TRUE(window_.open_report(QString::fromStdString(write_report(folder_, "earlier"))));
  ASSERT_TRUE(window_.open_scenario(write_small_scenario(folder_, "100000000")));
  window_.go(View::run);
  QSignalSpy progressed(&window_.simulation(), &Simulation::progressed);
  QSignalSpy cancelled(&window_.simulation(), &Simulation::cancelled);
  QTest::mouseClick(button("Run"), Qt::LeftButton);
  ASSERT_TRUE(progressed.wait(patience_ms));
  QTest::mouseClick(button("Cancel"), Qt::LeftButton);
  ASSERT_TRUE(cancelled.wait(patience_ms));
  EXPECT_FALSE(window_.simulation().running());
  EXPECT_TRUE(all_texts_have("cancelled"));
  EXPECT_EQ(window_.current()->label, "earlier");
  EXPECT_TRUE(QDir(MainWindow::runs_folder()).isEmpty());
}

/// The bar, the time left and the button are there in every view, wherever the run was started.
TEST_F(Window, a_run_shows_its_progress_in_every_view) {
  ASSERT_TRUE(window_.open_scenario(write_small_scenario(folder_, "100000000")));
  window_.go(View::scenario);
  auto* bar = window_.findChild<QProgressBar*>();
  EXPECT_FALSE(bar->isVisible());
  QSignalSpy progressed(&window_.simulation(), &Simulation::progressed);
  QTest::keySequence(&window_, QKeySequence(Qt::CTRL | Qt::Key_R));
  EXPECT_TRUE(bar->isVisible());
  for (int i = 0; i < 100 && !all_texts_have(" left"); ++i) ASSERT_TRUE(progressed.wait(patience_ms));
  for (const View view : {View::scenario, View::run, View::requests}) {
    window_.go(view);
    EXPECT_TRUE(bar->isVisible());
    EXPECT_TRUE(all_texts_have(" left"));
    EXPECT_TRUE(button("Cancel")->isVisible());
    EXPECT_FALSE(button("Run")->isEnabled());
  }
  QSignalSpy cancelled(&window_.simulation(), &Simulation::cancelled);
  QTest::mouseClick(button("Cancel"), Qt::LeftButton);
  ASSERT_TRUE(cancelled.wait(patience_ms));
  EXPECT_FALSE(bar->isVisible());
  EXPECT_TRUE(all_texts_have("cancelled"));
  EXPECT_TRUE(button("Run")->isEnabled());
}

TEST_F(Window, a_run_that_fails_says_so_in_every_view) {
  ASSERT_TRUE(window_.open_scenario(write_small_scenario(folder_)));
  QSignalSpy failed(&window_.simulation(), &Simulation::failed);
  window_.simulation().start(
      {.scenario = "/no/such.yaml", .folder = QString::fromStdString((folder_ / "r").string())});
  ASSERT_TRUE(failed.wait(patience_ms));
  EXPECT_THAT(window_.notice().toStdString(), HasSubstr("/no/such.yaml"));
}

TEST_F(Window, a_scenario_with_mistakes_cannot_be_run) {
  ASSERT_TRUE(window_.open_scenario(write_small_scenario(folder_)));
  window_.document().set("pools[0].gpu", "h1000");
  EXPECT_TRUE(all_texts_have("h1000"));
  window_.go(View::run);
  EXPECT_FALSE(button("Run")->isEnabled());
  window_.document().undo();
  EXPECT_TRUE(button("Run")->isEnabled());
}

TEST_F(Window, edits_are_not_lost_by_closing) {
  const QString file = write_small_scenario(folder_);
  ASSERT_TRUE(window_.open_scenario(file));
  window_.document().set("seed", "8");
  const auto answer_with = [](QMessageBox::StandardButton answer) {
    QTimer::singleShot(100, [answer] {
      auto* box = qobject_cast<QMessageBox*>(QApplication::activeModalWidget());
      ASSERT_NE(box, nullptr);
      box->button(answer)->click();
    });
  };
  answer_with(QMessageBox::Cancel);
  EXPECT_FALSE(window_.close());
  answer_with(QMessageBox::Save);
  EXPECT_TRUE(window_.close());
  EXPECT_THAT(read_text(file.toStdString()), HasSubstr("seed: 8"));
}

TEST_F(Window, a_broken_report_gives_a_message) {
  EXPECT_FALSE(window_.open_report(QString::fromStdString(write_report(folder_, "cut", requests_head + "0,1"))));
  EXPECT_THAT(window_.notice().toStdString(), HasSubstr("the file was cut short"));
  EXPECT_FALSE(window_.open_report("/no/such/folder"));
  EXPECT_THAT(window_.notice().toStdString(), HasSubstr("no such report folder"));
  EXPECT_TRUE(window_.open_report(QString::fromStdString(write_report(folder_, "whole"))));
  EXPECT_TRUE(window_.notice().isEmpty());
}

TEST_F(Window, reports_can_be_closed) {
  for (const char* name : {"a", "b", "c"})
    ASSERT_TRUE(window_.open_report(QString::fromStdString(write_report(folder_, name))));
  EXPECT_EQ(window_.current()->label, "c");
  window_.close_report();
  EXPECT_EQ(window_.current()->label, "b");
  EXPECT_EQ(window_.compare_view().model().columnCount(), 3);
  window_.close_report();
  window_.close_report();
  window_.close_report();  // there is none any more
  EXPECT_EQ(window_.current(), nullptr);
  EXPECT_EQ(window_.compare_view().model().columnCount(), 0);
  EXPECT_TRUE(window_.open_report(QString::fromStdString(write_report(folder_, "d"))));
}

TEST_F(Window, broken_steps_give_a_message) {
  const std::string path = write_report(folder_, "r");
  put_text(path + "/steps.csv",
           "replica,pool,start_s,end_s,decode_sequences,prefill_sequences,prefill_tokens,used_blocks,members\n"
           "0,chat,1.5,1.6,0,1,60,4,unreadable\n");
  ASSERT_TRUE(window_.open_report(QString::fromStdString(path)));
  window_.go(View::requests);
  window_.requests_view().choose(0);
  EXPECT_TRUE(all_texts_have("'members' cannot be read"));
}

TEST_F(Window, dragging_over_one_plot_chooses_everywhere) {
  ASSERT_TRUE(window_.open_report(QString::fromStdString(write_report(folder_, "r"))));
  window_.go(View::run);
  QCoreApplication::processEvents();
  auto* plot = window_.run_view().findChild<TimePlot*>();
  const int y = plot->height() / 2, middle = plot->width() / 2;
  QTest::mousePress(plot, Qt::LeftButton, {}, {1, y});
  QTest::mouseMove(plot, {middle - 20, y});
  QTest::mouseMove(plot, {middle, y});
  QTest::mouseRelease(plot, Qt::LeftButton, {}, {middle, y});
  // All three arrive within 2.5 s of 8 s; the left half has them all, and a span of latencies narrows that.
  ASSERT_TRUE(window_.run_view().dashboard().brush().arrival_s);
  window_.go(View::requests);
  EXPECT_EQ(window_.requests_view().model()->rowCount(), 3);
  Brush brush = window_.run_view().dashboard().brush();
  brush.latency[static_cast<std::size_t>(Metric::ttft_s)] = Span{3, 4};
  window_.run_view().dashboard().set_brush(brush);
  EXPECT_EQ(window_.requests_view().model()->rowCount(), 1);
  window_.go(View::run);
  EXPECT_TRUE(all_texts_have("1 of 3 requests chosen"));
  QTest::mouseClick(button("Show all"), Qt::LeftButton);
  window_.go(View::requests);
  EXPECT_EQ(window_.requests_view().model()->rowCount(), 3);
}

/// The table says that a brush leaves requests out, and lets them in again.
TEST_F(Window, a_brush_is_no_hidden_filter) {
  ASSERT_TRUE(window_.open_report(QString::fromStdString(write_report(folder_, "r"))));
  window_.go(View::requests);
  EXPECT_FALSE(all_texts_have("chosen in the view Run"));
  window_.run_view().dashboard().set_brush({.arrival_s = Span{5, 6}});
  EXPECT_EQ(window_.requests_view().model()->rowCount(), 0);
  EXPECT_TRUE(all_texts_have("Only the 0 requests chosen in the view Run"));
  QTest::keySequence(&window_, QKeySequence(Qt::Key_Escape));
  EXPECT_TRUE(QTest::qWaitFor([&] { return window_.requests_view().model()->rowCount() == 3; }, 120'000));
  EXPECT_TRUE(window_.run_view().dashboard().brush().empty());
  window_.run_view().dashboard().set_brush({.arrival_s = Span{5, 6}});
  ASSERT_TRUE(window_.open_report(QString::fromStdString(write_report(folder_, "other"))));
  EXPECT_EQ(window_.requests_view().model()->rowCount(), 3);
  EXPECT_FALSE(all_texts_have("chosen in the view Run"));
}

/// Not what the report before needed.
TEST_F(Window, axes_are_of_the_report_shown) {
  Summary large{.version = "0.1.0", .duration_s = 8};
  large.pools = {{.name = "chat", .gpus = 512}};
  Summary little = large;
  little.pools[0].gpus = 2;
  std::string series = series_head + "0,chat,1,2,0,0.5,1,100,10,400,0.01\n";  // one pool
  for (const auto& [name, summary] : {std::pair("large", large), std::pair("little", little)}) {
    const std::string report = write_report(folder_, name, three_requests, summary);
    put_text(report + "/series.csv", series);
    ASSERT_TRUE(window_.open_report(QString::fromStdString(report)));
  }
  for (const TimePlot* plot : window_.run_view().findChildren<TimePlot*>())
    if (plot->title() == "Busy GPUs") {
      EXPECT_LT(plot->y_axis().high, 3);
    }
}

TEST_F(Window, a_missed_slo_says_what_was_met) {
  Summary summary{.version = "0.1.0", .duration_s = 8};
  summary.slo.ttft_s = 1;
  summary.slo.attained_fraction = 0.71;
  summary.slo.target_fraction = 0.99;
  ASSERT_TRUE(window_.open_report(QString::fromStdString(write_report(folder_, "r", three_requests, summary))));
  window_.go(View::run);
  EXPECT_TRUE(all_texts_have("Within the SLO"));
  EXPECT_TRUE(all_texts_have("71.0 %"));
  EXPECT_TRUE(all_texts_have("SLO missed: 99.0 % asked"));
}

/// Half of a screen of 1,920 pixels, with its frame.
TEST_F(Window, is_as_narrow_as_half_a_screen) {
  ASSERT_TRUE(window_.open_scenario(write_small_scenario(folder_)));
  ASSERT_TRUE(window_.open_report(QString::fromStdString(write_report(folder_, "r"))));
  window_.resize(900, 700);
  for (int view = 0; view < static_cast<int>(view_names.size()); ++view) {
    window_.go(static_cast<View>(view));
    QCoreApplication::processEvents();
    EXPECT_LE(window_.width(), 900) << view_names[static_cast<std::size_t>(view)];
    EXPECT_LE(window_.height(), 700) << view_names[static_cast<std::size_t>(view)];
  }
}

TEST_F(Window, every_plot_is_exported_three_ways) {
  ASSERT_TRUE(window_.open_report(QString::fromStdString(write_report(folder_, "r"))));
  window_.go(View::run);
  QCoreApplication::processEvents();
  const QString to = QString::fromStdString((folder_ / "plots").string());
  window_.resize(1360, 880);
  QCoreApplication::processEvents();
  const int plots = export_all(window_.run_view(), to);
  EXPECT_EQ(plots, 9);
  const QDir files(to);
  for (const char* ending : {"*.png", "*.svg", "*.csv"}) EXPECT_EQ(files.entryList({ending}).size(), plots) << ending;
  const std::string csv = read_text(to.toStdString() + "/kv_blocks_in_use.csv");
  EXPECT_THAT(csv, HasSubstr("\nchat,1,0.75"));
  EXPECT_THAT(read_text(to.toStdString() + "/busy_gpus.svg"), HasSubstr("<svg"));
  EXPECT_GT(QImage(to + "/cost_so_far.png").width(), 400);
}

TEST_F(Window, a_design_of_a_plan_opens_as_a_scenario) {
  const QString scenario = write_small_scenario(folder_);
  ASSERT_TRUE(window_.open(QString::fromStdString(write_plan(folder_, scenario.toStdString()))));
  EXPECT_EQ(window_.plan_view().model().rowCount(), 3);
  auto* table = window_.plan_view().findChild<QTableView*>();
  const QPoint second = table->visualRect(table->model()->index(1, 0)).center();
  QTest::mouseClick(table->viewport(), Qt::LeftButton, {}, second);
  QTest::mouseDClick(table->viewport(), Qt::LeftButton, {}, second);
  EXPECT_EQ(window_.document().file(), scenario);
  EXPECT_THAT(window_.document().text().toStdString(), HasSubstr("replicas: 3"));
  EXPECT_TRUE(window_.document().edited());
  window_.document().undo();
  EXPECT_FALSE(window_.document().edited());
}

TEST_F(Window, shots_of_all_views_need_no_display) {
  const QString report = QString::fromStdString(write_report(folder_, "r"));
  const QString residuals = QString::fromStdString(write_residuals(folder_));
  const QString scenario = write_small_scenario(folder_);
  const QString plan = QString::fromStdString(write_plan(folder_, scenario.toStdString()));
  const std::map<std::string, QString> other_inputs{
      {"scenario", scenario}, {"plan", plan}, {"calibration", residuals}};
  for (const char* view : view_names) {
    const QString picture = QString::fromStdString((folder_ / (std::string(view) + ".png")).string());
    const QString input = other_inputs.contains(view) ? other_inputs.at(view) : report;
    take_shot({.view = view, .inputs = {input}, .picture = picture});
    EXPECT_EQ(QImage(picture).size(), QSize(1360, 880)) << view;
  }
  EXPECT_THROW(take_shot({.view = "moon", .inputs = {report}, .picture = "x.png"}), UserError);
  EXPECT_THROW(take_shot({.view = "run", .inputs = {"/no/such"}, .picture = "x.png"}), UserError);
  EXPECT_THROW(take_shot({.view = "calibration", .inputs = {report}, .picture = "x.png"}), UserError);
  EXPECT_THROW(take_shot({.view = "cluster", .inputs = {residuals}, .picture = "x.png"}), UserError);
}

}  // namespace servecast::gui::window_test
