// The scenario in the window: edits leave the place, the text mends what the form cannot show, copies find their
// files.
#include <gmock/gmock.h>

#include <QAbstractItemModelTester>
#include <QApplication>
#include <QDialogButtonBox>
#include <QDir>
#include <QFile>
#include <QFileDialog>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTest>
#include <QTextBlock>
#include <QTimer>
#include <QTreeView>

#include "gui/data/runs/program.h"
#include "gui/data/scenario/moved_paths.h"
#include "gui/view/scenario/scenario_view.h"
#include "gui/view/scenario/yaml_editor.h"
#include "tests/unit/gui/shown_window.h"
#include "tests/unit/gui/small_scenario.h"

namespace servecast::gui::scenario_window_test {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

class ScenarioWindow : public ShownWindow {
 protected:
  ScenarioView& view() { return window_.scenario_view(); }
  ScenarioDocument& document() { return window_.document(); }
  QModelIndex at(const QString& path) { return view().model()->index_of(path); }
  QString file(const std::string& name) { return QString::fromStdString((folder_ / name).string()); }
  QString write(const std::string& name, const std::string& text) {
    put_text(folder_ / name, text);
    return file(name);
  }
  std::string shown_problems() {
    for (const QLabel* label : view().findChildren<QLabel*>("notice"))
      if (label->isVisible()) return label->text().toStdString();
    return "";
  }
  /// Types into the text as a person would, and waits until that is checked.
  void type_over(const QString& wrong, const QString& right) {
    QTextCursor cursor = view().yaml().document()->find(wrong);
    ASSERT_FALSE(cursor.isNull());
    view().yaml().setTextCursor(cursor);
    QSignalSpy changed(&document(), &ScenarioDocument::changed);
    QTest::keyClicks(&view().yaml(), right);
    ASSERT_TRUE(changed.wait(10'000));
  }
  /// Answers the file dialog that comes next.
  static void choose(const QString& file) {
    QTimer::singleShot(200, [file] {
      auto* dialog = qobject_cast<QFileDialog*>(QApplication::activeModalWidget());
      ASSERT_NE(dialog, nullptr);
      dialog->findChild<QLineEdit*>()->setText(file);
      dialog->findChild<QDialogButtonBox*>()->button(QDialogButtonBox::Save)->click();
    });
  }
};

TEST_F(ScenarioWindow, EditsUndoAndRedoLeaveTheTreeWhereItWas) {
  window_.resize(1000, 500);
  ASSERT_TRUE(window_.open_scenario(write_small_scenario(folder_)));
  const QAbstractItemModelTester tester(view().model(), QAbstractItemModelTester::FailureReportingMode::Fatal);
  QTreeView& tree = view().tree();
  for (const char* path : {"pools[0].queue", "pools[0].kv_cache", "slo"}) tree.expand(at(path));
  tree.collapse(at("cluster"));
  view().go_to("pools[0].kv_cache.policy");
  QSignalSpy resets(view().model(), &QAbstractItemModel::modelReset);
  const int scrolled = tree.verticalScrollBar()->value();
  ASSERT_GT(scrolled, 0);
  const auto expect_same_place = [&](const char* after) {
    EXPECT_EQ(resets.count(), 0) << after;
    for (const char* path : {"pools", "pools[0]", "pools[0].queue", "pools[0].kv_cache", "slo"})
      EXPECT_TRUE(tree.isExpanded(at(path))) << after << ": " << path;
    EXPECT_FALSE(tree.isExpanded(at("cluster"))) << after;
    EXPECT_EQ(view().model()->node(tree.currentIndex()).path, "pools[0].kv_cache.policy") << after;
    EXPECT_EQ(tree.verticalScrollBar()->value(), scrolled) << after;
  };
  EXPECT_TRUE(view().model()->setData(at("pools[0].replicas").siblingAtColumn(ScenarioModel::value_column), "3"));
  expect_same_place("an edit");
  document().set("slo.e2e_s", "9");
  expect_same_place("another one");
  document().undo();
  document().undo();
  expect_same_place("undo");
  document().redo();
  expect_same_place("redo");
  document().set("pools[0].gpu", "h1000");
  expect_same_place("a mistake");
}

/// What goes away and comes back is unfolded as it was; the rows around it stay.
TEST_F(ScenarioWindow, RowsComeAndGoOneByOne) {
  ASSERT_TRUE(window_.open_scenario(write_small_scenario(folder_)));
  const QAbstractItemModelTester tester(view().model(), QAbstractItemModelTester::FailureReportingMode::Fatal);
  const QPersistentModelIndex replicas(at("pools[0].replicas"));
  const QPersistentModelIndex chunk(at("pools[0].batcher.async_scheduling"));
  ASSERT_TRUE(chunk.isValid());
  document().set("pools[0].batcher", "{policy: sarathi}");
  EXPECT_FALSE(chunk.isValid());  // only vLLM's has it
  document().set(
      "pools", "[{name: a, llm: llama-3.1-8b, gpu: h100_sxm_80g}, {name: b, llm: llama-3.1-8b, gpu: h100_sxm_80g}]");
  ASSERT_TRUE(replicas.isValid());
  EXPECT_EQ(view().model()->node(replicas).path, "pools[0].replicas");
  view().tree().expand(at("pools[1]"));
  document().undo();
  EXPECT_FALSE(at("pools[1]").isValid());
  document().redo();
  EXPECT_TRUE(view().tree().isExpanded(at("pools[1]")));
  EXPECT_EQ(at("pools[1]").data().toString(), "[1]  b");
}

TEST_F(ScenarioWindow, AMistakeOnOpeningIsMendedInTheText) {
  std::string text = small_scenario;
  text.replace(text.find("h100_sxm_80g"), 12, "h1000");
  const QString broken = write("broken.yaml", "# mine\n" + text);
  ASSERT_TRUE(window_.open_scenario(broken));
  EXPECT_FALSE(view().tree().isVisible());
  EXPECT_THAT(shown_problems(), HasSubstr("<a href='15:10'>15:10</a>"));  // h1000 begins there
  EXPECT_THAT(shown_problems(), HasSubstr("h1000"));
  type_over("h1000", "h100_sxm_80x");
  EXPECT_THAT(shown_problems(), HasSubstr("h100_sxm_80x"));
  type_over("h100_sxm_80x", "h100_sxm_80g");
  EXPECT_EQ(shown_problems(), "");
  EXPECT_TRUE(view().tree().isVisible());
  EXPECT_EQ(at("pools[0].replicas").siblingAtColumn(ScenarioModel::value_column).data().toString(), "2");
  EXPECT_THAT(read_text(broken.toStdString()), HasSubstr("h1000"));  // not saved yet
  document().set("seed", "8");                                       // what is typed and what is set go together
  window_.save();
  EXPECT_THAT(read_text(broken.toStdString()), HasSubstr("gpu: h100_sxm_80g"));
  EXPECT_THAT(read_text(broken.toStdString()), testing::StartsWith("# mine\n"));
  EXPECT_THAT(read_text(broken.toStdString()), HasSubstr("seed: 8"));
  EXPECT_FALSE(document().edited());
}

TEST_F(ScenarioWindow, TextThatIsTypedIsUndoneAndRun) {
  ASSERT_TRUE(window_.open_scenario(write_small_scenario(folder_)));
  document().set("seed", "4");
  type_over("requests: 50", "requests: 30");
  type_over("requests: 30", "requests: -3");
  EXPECT_FALSE(view().tree().isEnabled());  // its values are those of the text before
  QTest::keySequence(&view().yaml(), QKeySequence::Undo);
  EXPECT_TRUE(view().tree().isEnabled());
  EXPECT_THAT(document().text().toStdString(), HasSubstr("requests: 30"));
  QSignalSpy finished(&window_.simulation(), &Simulation::finished);
  window_.run();
  ASSERT_TRUE(finished.wait(60'000));
  EXPECT_EQ(window_.current()->requests.size(), 30u);
  QTest::keySequence(&view().yaml(), QKeySequence::Undo);
  EXPECT_THAT(document().text().toStdString(), HasSubstr("requests: 50"));
  EXPECT_THAT(document().text().toStdString(), HasSubstr("seed: 4"));
}

TEST_F(ScenarioWindow, AnEditOfTheFormKeepsTheCursorOfTheText) {
  ASSERT_TRUE(window_.open_scenario(write_small_scenario(folder_)));
  view().yaml().go_to(12, 5);
  const QString line = view().yaml().textCursor().block().text();
  document().set("name", "\"a name that is longer\"");
  EXPECT_EQ(view().yaml().textCursor().block().text(), line);
  EXPECT_EQ(view().yaml().text(), document().text());
}

/// Line ends, spaces and bytes that were not touched are saved as they were.
TEST_F(ScenarioWindow, WhatWasNotTypedStays) {
  std::string text = small_scenario;
  for (std::size_t i = 0; (i = text.find('\n', i)) != std::string::npos; i += 2) text.replace(i, 1, "\r\n");
  const QString dos = write("dos.yaml", "# a\xc2\xa0space\r\n" + text);
  ASSERT_TRUE(window_.open_scenario(dos));
  EXPECT_FALSE(document().edited());
  type_over("seed: 3", "seed: 5");
  window_.save();
  EXPECT_EQ(read_text(dos.toStdString()), "# a\xc2\xa0space\r\n" + text.replace(text.find("seed: 3"), 7, "seed: 5"));
}

std::string with_trace(const std::string& path) {
  std::string text = small_scenario;
  const std::size_t from = text.find("workload:");
  return text.replace(from, text.find("slo:") - from, "workload: {trace: {path: " + path + "}}  # two requests\n");
}
const std::string two_requests = "arrived_at,num_prefill_tokens,num_decode_tokens\n0,10,5\n1,10,5\n";

TEST_F(ScenarioWindow, ACopyInAnotherFolderFindsItsFiles) {
  QDir(file("")).mkpath("deep/traces");
  QDir(file("")).mkpath("other/place");
  write("deep/traces/two.csv", two_requests);
  write("other/place/traces/two.csv", "");  // not this one
  const QString from = write("deep/s.yaml", with_trace("traces/two.csv"));
  const QString to = file("other/place/copy.yaml");
  ASSERT_TRUE(window_.open_scenario(from));
  document().set("name", "traces");  // a folder of that name is there, and it names none
  document().save_as(to);
  EXPECT_TRUE(document().problems().empty()) << shown_problems();
  const std::string copy = read_text(to.toStdString());
  EXPECT_THAT(copy, HasSubstr("path: ../../deep/traces/two.csv"));
  EXPECT_THAT(copy, HasSubstr("name: traces"));
  EXPECT_THAT(copy, HasSubstr("# two requests"));
  EXPECT_THAT(read_text(from.toStdString()), HasSubstr("path: traces/two.csv"));
}

TEST_F(ScenarioWindow, ItSaysWhatItHasChangedInACopy) {
  QDir(file("")).mkpath("elsewhere");
  write("two.csv", two_requests);
  ASSERT_TRUE(window_.open_scenario(write("s.yaml", with_trace("two.csv"))));
  choose(file("elsewhere/copy.yaml"));
  window_.save_as();
  EXPECT_EQ(document().file().toStdString(), file("elsewhere/copy.yaml").toStdString());
  EXPECT_THAT(window_.notice().toStdString(), HasSubstr("workload.trace.path=../two.csv"));
  choose(file("elsewhere/beside.yaml"));
  window_.save_as();
  EXPECT_EQ(window_.notice(), "");
}

/// Every setting that names a file, in whatever key, is found by what was read.
TEST(MovedPaths, FollowsFilesAndFolders) {
  const nlohmann::ordered_json settings{
      {"name", "tables"},
      {"cluster", {{"node", "./my_node.yaml"}}},
      {"pools", {{{"llm", "models/own"}, {"gpu", "h100_sxm_80g"}, {"note", "gone.csv"}}}},
      {"workload", {{"trace", {{"path", "/whole/t.csv"}}}}}};
  const MovingScenario scenario{
      settings, {"/a/b/s.yaml", "/a/b/./my_node.yaml", "/a/b/models/own/config.json", "/whole/t.csv"}, "/a/b", "/a"};
  const QStringList moved = moved_paths(scenario);
  ASSERT_EQ(moved.size(), 2);
  EXPECT_THAT(moved[0].toStdString(), testing::StartsWith("cluster.node="));
  EXPECT_THAT(moved[1].toStdString(), testing::StartsWith("pools[0].llm="));
}

QByteArray bytes_of(const QString& file) {
  QFile input(file);
  return input.open(QIODevice::ReadOnly) ? input.readAll() : QByteArray();
}

TEST_F(ScenarioWindow, AnExampleIsNeverWritten) {
  QFileInfoList examples = bundled_scenarios();
  const auto chat = std::ranges::find(examples, "chat", &QFileInfo::completeBaseName);
  ASSERT_NE(chat, examples.end());
  const QString example = chat->filePath();
  const QByteArray before = bytes_of(example);
  ASSERT_TRUE(window_.open_scenario(example));
  EXPECT_TRUE(document().needs_a_name());
  document().set("seed", "77");
  EXPECT_THROW(document().save(), UserError);
  EXPECT_THROW(document().save_as(example), UserError);
  EXPECT_EQ(bytes_of(example), before);
  choose(file("mine.yaml"));
  window_.save();
  EXPECT_EQ(bytes_of(example), before);
  EXPECT_EQ(document().file().toStdString(), file("mine.yaml").toStdString());
  EXPECT_FALSE(document().needs_a_name());
  EXPECT_TRUE(document().problems().empty()) << shown_problems();  // it finds its trace
  EXPECT_THAT(document().text().toStdString(), HasSubstr("seed: 77"));
  document().set("seed", "78");
  window_.save();  // asks no more
  EXPECT_THAT(read_text(file("mine.yaml").toStdString()), HasSubstr("seed: 78"));
}

}  // namespace servecast::gui::scenario_window_test
