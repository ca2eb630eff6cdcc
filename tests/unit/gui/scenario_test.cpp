// The scenario as a tree; edits go through the program.
#include <gmock/gmock.h>

#include <QAbstractItemModelTester>
#include <QSignalSpy>

#include "gui/data/runs/program.h"
#include "gui/data/scenario/scenario_model.h"
#include "tests/unit/gui/small_scenario.h"

namespace servecast::gui::scenario_test {

using testing::HasSubstr;

class Scenario : public testing::Test {
 protected:
  TemporaryFolder folder_;
  QString file_ = write_small_scenario(folder_);
  Schema schema_{ask_servecast({"schema", "--format", "json"}).out.toStdString()};
  ScenarioDocument document_;
  ScenarioModel model_{schema_, document_};
  QAbstractItemModelTester tester_{&model_, QAbstractItemModelTester::FailureReportingMode::Fatal};

  void SetUp() override { document_.open(file_); }
  QModelIndex value(const QString& path) {
    return model_.index_of(path).siblingAtColumn(ScenarioModel::value_column);
  }
  QString text_at(const QString& path) { return value(path).data().toString(); }
};

TEST_F(Scenario, shows_values_and_defaults) {
  EXPECT_TRUE(document_.problems().empty());
  EXPECT_EQ(text_at("seed"), "3");
  EXPECT_EQ(text_at("pools[0].llm"), "llama-3.1-8b");
  EXPECT_EQ(text_at("pools[0].batcher.policy"), "vllm_v1");  // a default
  EXPECT_TRUE(model_.node(value("pools[0].batcher.policy")).is_default());
  EXPECT_FALSE(model_.node(value("pools[0].replicas")).is_default());
  EXPECT_EQ(text_at("until_s"), "not set");
  EXPECT_EQ(value("slo.ttft_s").siblingAtColumn(ScenarioModel::unit_column).data().toString(), "s");
  EXPECT_FALSE(value("pools[0].batcher.chunk_tokens").isValid());  // belongs to another policy
}

TEST_F(Scenario, an_edit_shows_in_the_yaml_and_comments_stay) {
  EXPECT_TRUE(model_.setData(value("pools[0].replicas"), "3"));
  EXPECT_EQ(text_at("pools[0].replicas"), "3");
  EXPECT_THAT(document_.text().toStdString(), HasSubstr("replicas: 3"));
  EXPECT_THAT(document_.text().toStdString(), HasSubstr("# small"));
  EXPECT_THAT(read_text(file_.toStdString()), HasSubstr("replicas: 2"));  // not saved yet
  document_.undo();
  EXPECT_EQ(text_at("pools[0].replicas"), "2");
  EXPECT_FALSE(document_.edited());
  document_.redo();
  document_.save();
  EXPECT_THAT(read_text(file_.toStdString()), HasSubstr("replicas: 3"));
  EXPECT_FALSE(document_.can_undo());
}

TEST_F(Scenario, a_mistake_appears_at_its_field_and_keeps_the_yaml) {
  model_.setData(value("pools[0].replicas"), "0");
  ASSERT_EQ(document_.problems().size(), 1u);
  EXPECT_THAT(model_.node(value("pools[0].replicas")).problem.toStdString(), HasSubstr("replicas"));
  EXPECT_THAT(document_.text().toStdString(), HasSubstr("replicas: 2"));
  document_.undo();
  EXPECT_TRUE(document_.problems().empty());
}

TEST_F(Scenario, another_policy_drops_what_only_the_first_one_knows) {
  model_.setData(value("pools[0].batcher.max_num_seqs"), "64");
  model_.setData(value("pools[0].batcher.async_scheduling"), "false");
  model_.setData(value("pools[0].batcher.policy"), "sarathi");
  EXPECT_TRUE(document_.problems().empty());
  EXPECT_EQ(text_at("pools[0].batcher.policy"), "sarathi");
  EXPECT_EQ(text_at("pools[0].batcher.max_num_seqs"), "64");  // both know it
  EXPECT_FALSE(value("pools[0].batcher.async_scheduling").isValid());
  EXPECT_TRUE(value("pools[0].batcher.chunk_tokens").isValid());
}

TEST_F(Scenario, figures_of_hardware_are_edited_below_its_name) {
  EXPECT_FALSE(value("gpus.h100_sxm_80g").isValid());
  model_.setData(value("gpus"), "{h100_sxm_80g: {hbm_bytes_per_s: 3.0e+12}}");
  EXPECT_TRUE(document_.problems().empty());
  EXPECT_EQ(text_at("gpus.h100_sxm_80g.hbm_bytes_per_s"), "3000000000000.0");
  model_.setData(value("gpus.h100_sxm_80g.usd_per_hour"), "5");
  EXPECT_TRUE(document_.problems().empty());
  EXPECT_EQ(text_at("gpus.h100_sxm_80g.usd_per_hour"), "5.0");
}

TEST_F(Scenario, texts_are_quoted_where_yaml_needs_it) {
  model_.setData(value("name"), "yes: a #title");
  EXPECT_TRUE(document_.problems().empty());
  EXPECT_EQ(text_at("name"), "yes: a #title");
  EXPECT_EQ(quoted("llama-3.1-8b"), "llama-3.1-8b");
  EXPECT_EQ(quoted("true"), "\"true\"");
}

TEST_F(Scenario, follows_the_file_and_keeps_edits) {
  document_.set("seed", "9");
  QSignalSpy changed(&document_, &ScenarioDocument::changed);
  std::string text = read_text(file_.toStdString());
  text.replace(text.find("replicas: 2"), 11, "replicas: 4");
  put_text(file_.toStdString(), text);
  ASSERT_TRUE(changed.wait());
  EXPECT_EQ(text_at("pools[0].replicas"), "4");
  EXPECT_EQ(text_at("seed"), "9");
}

TEST_F(Scenario, a_file_that_cannot_be_read_as_a_scenario_has_its_problems_listed) {
  put_text(file_.toStdString(), "pools: [\n");
  document_.open(file_);
  EXPECT_FALSE(document_.problems().empty());
  EXPECT_EQ(document_.text(), "pools: [\n");
  EXPECT_THROW(document_.open("/no/such/file.yaml"), UserError);
}

}  // namespace servecast::gui::scenario_test
