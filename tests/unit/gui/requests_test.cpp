// The table of requests: sorting, filtering, and the life of one of them.
#include <gmock/gmock.h>

#include <QAbstractItemModelTester>
#include <numeric>

#include "gui/data/report/bins.h"
#include "gui/data/report/decimate.h"
#include "gui/data/tables/request_life.h"
#include "gui/data/tables/request_model.h"
#include "tests/unit/gui/report_files.h"
#include "tests/unit/message_of.h"

namespace servecast::gui::requests_test {

using testing::ElementsAre;
using testing::HasSubstr;

class Table : public testing::Test {
 protected:
  TemporaryFolder folder_;
  Report report_{write_report(folder_, "r"), "0.1.0"};
  RequestModel model_{report_.requests};
  QAbstractItemModelTester tester_{&model_, QAbstractItemModelTester::FailureReportingMode::Fatal};

  std::vector<std::size_t> rows() const {
    std::vector<std::size_t> rows;
    for (int i = 0; i < model_.rowCount(); ++i) rows.push_back(model_.request_row(i));
    return rows;
  }
  int column(const QString& key) const {
    for (int i = 0; i < model_.columnCount(); ++i)
      if (model_.headerData(i, Qt::Horizontal).toString() == key) return i;
    return -1;
  }
  std::string complaint(const std::string& filter) {
    return message_of([&] { model_.set_filter(filter); });
  }
};

TEST_F(Table, sorts_by_any_column_and_what_is_absent_comes_last) {
  model_.sort(column("ttft_s"), Qt::AscendingOrder);
  EXPECT_THAT(rows(), ElementsAre(0, 2, 1));
  model_.sort(column("ttft_s"), Qt::DescendingOrder);
  EXPECT_THAT(rows(), ElementsAre(2, 0, 1));
  model_.sort(column("status"), Qt::DescendingOrder);  // rejected, completed
  EXPECT_EQ(rows().front(), 1u);
  model_.sort(column("prompt_tokens"), Qt::AscendingOrder);
  EXPECT_THAT(rows(), ElementsAre(2, 0, 1));
}

TEST_F(Table, shows_what_people_read) {
  EXPECT_EQ(model_.data(model_.index(0, column("ttft_s"))).toString(), "1.00 s");
  EXPECT_EQ(model_.data(model_.index(1, column("ttft_s"))).toString(), "—");
  EXPECT_EQ(model_.data(model_.index(2, column("pool"))).toString(), "code");
}

TEST_F(Table, filters_by_conditions_that_all_hold) {
  model_.set_filter("status = completed");
  EXPECT_THAT(rows(), ElementsAre(0, 2));
  model_.set_filter("status = completed, ttft_s > 1500ms");
  EXPECT_THAT(rows(), ElementsAre(2));
  model_.set_filter("ttft_s<=1");  // one without a TTFT is not at most 1 s
  EXPECT_THAT(rows(), ElementsAre(0));
  model_.set_filter("pool != chat");
  EXPECT_THAT(rows(), ElementsAre(2));
  model_.set_filter("1");
  EXPECT_THAT(rows(), ElementsAre(1));
  model_.set_filter("prompt_tokens >= 0.9k");
  EXPECT_THAT(rows(), ElementsAre(1));
  model_.set_filter("");
  EXPECT_EQ(model_.rowCount(), 3);
}

TEST_F(Table, a_filter_that_is_wrong_changes_nothing_and_says_why) {
  model_.set_filter("replica = 1");
  EXPECT_THAT(complaint("ttft > 1"), HasSubstr("there is no column 'ttft'; there are request_id, arrival_s"));
  EXPECT_THAT(complaint("ttft_s > soon"), HasSubstr("'soon' is no number"));
  EXPECT_THAT(complaint("status > completed"), HasSubstr("'status' is a text; compare it with = or !="));
  EXPECT_THAT(complaint("fast ones"), HasSubstr("'fast ones' is no condition"));
  EXPECT_THAT(rows(), ElementsAre(2));
}

TEST_F(Table, a_brush_chooses_on_top_of_the_filter) {
  Brush brush;
  brush.arrival_s = Span{0, 2};
  EXPECT_THAT(chosen(report_.requests, brush), ElementsAre(1, 1, 0));
  brush.latency[static_cast<std::size_t>(Metric::tpot_s)] = Span{0, 10};
  const auto mask = chosen(report_.requests, brush);
  EXPECT_THAT(mask, ElementsAre(1, 0, 0));  // the rejected one has no TPOT
  model_.set_chosen(mask);
  EXPECT_THAT(rows(), ElementsAre(0));
  model_.set_filter("status = rejected");
  EXPECT_EQ(model_.rowCount(), 0);
}

TEST_F(Table, life_without_steps) {
  const RequestLife life = life_of(report_.requests, 0, nullptr);
  ASSERT_EQ(life.parts.size(), 3u);
  EXPECT_EQ(life.parts[0].kind, LifeKind::queue);
  EXPECT_EQ(life.parts[1].kind, LifeKind::prefill);
  EXPECT_EQ(life.parts[1].from_s, 1.5);
  EXPECT_EQ(life.parts[2].to_s, 4);
  EXPECT_TRUE(life_of(report_.requests, 1, nullptr).parts.empty());
}

TEST_F(Table, life_with_steps_knows_chunks_stalls_and_company) {
  // Request 0 has a prompt of 100 tokens: chunks of 60 and 40, between them a step without it, then decodes.
  put_text(report_.folder + "/steps.csv",
           "replica,pool,start_s,end_s,decode_sequences,prefill_sequences,prefill_tokens,emitted_tokens,used_blocks,"
           "energy_j,members\n"
           "0,chat,1.5,1.6,0,1,60,0,4,1,0:60\n"
           "0,chat,1.6,1.8,1,0,0,1,4,1,7:1\n"
           "1,chat,1.6,1.8,1,0,0,1,4,1,8:1\n"
           "0,chat,1.8,2,1,1,40,2,4,1,7:1 0:40\n"
           "0,chat,2,4,2,0,0,2,4,1,7:1 0:1\n");
  const Steps* steps = report_.steps();
  ASSERT_NE(steps, nullptr);
  const RequestLife life = life_of(report_.requests, 0, steps);
  std::vector<LifeKind> kinds;
  for (const LifePart& part : life.parts) kinds.push_back(part.kind);
  EXPECT_THAT(kinds,
              ElementsAre(LifeKind::queue, LifeKind::prefill, LifeKind::stall, LifeKind::prefill, LifeKind::decode));
  EXPECT_DOUBLE_EQ(life.parts[2].to_s - life.parts[2].from_s, 0.2);
  ASSERT_EQ(life.steps.size(), 3u);
  EXPECT_EQ(life.steps[1].tokens, 40);
  const auto who = members_of(*steps, life.steps[1].row);
  ASSERT_EQ(who.size(), 2u);
  EXPECT_EQ(who[0].request, 7);
}

/// Prompt until 2 on replica 0, 0.5 s on the way, decoded on replica 1.
class MovedRequest : public testing::Test {
 protected:
  TemporaryFolder folder_;
  Report report_{
      write_report(folder_, "moved",
                   "request_id,arrival_s,scheduled_s,first_token_s,finish_s,prompt_tokens,output_tokens,pool,replica,"
                   "preemptions,status,decode_replica,prompt_end_s,hand_over_s\n"
                   "0,1,1.5,2.6,4,100,3,chat,0,0,completed,1,2,0.5\n"),
      "0.1.0"};

  std::vector<LifePart> parts() { return life_of(report_.requests, 0, report_.steps()).parts; }
};

auto part(LifeKind kind, double from_s, double to_s) {
  return testing::AllOf(testing::Field(&LifePart::kind, kind), testing::Field(&LifePart::from_s, from_s),
                        testing::Field(&LifePart::to_s, to_s));
}

TEST_F(MovedRequest, HasItsHandOver) {
  EXPECT_THAT(parts(), ElementsAre(part(LifeKind::queue, 1, 1.5), part(LifeKind::prefill, 1.5, 2),
                                   part(LifeKind::hand_over, 2, 2.5), part(LifeKind::decode, 2.5, 4)));
}

TEST_F(MovedRequest, HasStepsOfBothReplicas) {
  put_text(report_.folder + "/steps.csv",
           "replica,pool,start_s,end_s,decode_sequences,prefill_sequences,prefill_tokens,emitted_tokens,used_blocks,"
           "energy_j,members\n"
           "0,chat,1.5,2,0,1,100,1,4,1,0:100\n"
           "0,chat,2,3,0,1,100,1,4,1,6:100\n"  // the next prompt there is no stall of this one
           "1,chat,2.5,3,1,0,0,1,4,1,7:1\n"
           "1,chat,3,3.5,2,0,0,2,4,1,7:1 0:1\n"
           "1,chat,3.5,4,2,0,0,2,4,1,7:1 0:1\n");
  EXPECT_THAT(parts(), ElementsAre(part(LifeKind::queue, 1, 1.5), part(LifeKind::prefill, 1.5, 2),
                                   part(LifeKind::hand_over, 2, 2.5), part(LifeKind::stall, 2.5, 3),
                                   part(LifeKind::decode, 3, 4)));
}

TEST(GatewayRequest, HasItsTimeBeforeTheQueue) {
  const TemporaryFolder folder;
  const Report report{
      write_report(folder, "gateway",
                   "request_id,arrival_s,scheduled_s,first_token_s,finish_s,prompt_tokens,output_tokens,pool,replica,"
                   "preemptions,status,answered_by,llm_calls,gateway_s,gateway_usd,score\n"
                   "0,1,1.5,2,4,100,3,chat,0,0,completed,chat,1,0.25,0,0.5\n"
                   "1,1,3,3.5,4,100,3,chat,0,0,completed,chat,2,0.25,0,0.5\n"
                   "2,1,,1.125,1.125,100,3,chat,,0,completed,memory,0,0.125,0,0.5\n"),
      "0.1.0"};
  const auto parts = [&](std::size_t row) { return life_of(report.requests, row, nullptr).parts; };
  EXPECT_THAT(parts(0), ElementsAre(part(LifeKind::gateway, 1, 1.25), part(LifeKind::queue, 1.25, 1.5),
                                    part(LifeKind::prefill, 1.5, 2), part(LifeKind::decode, 2, 4)));
  EXPECT_THAT(parts(1), ElementsAre(part(LifeKind::gateway, 1, 1.25), part(LifeKind::earlier_passes, 1.25, 3),
                                    part(LifeKind::prefill, 3, 3.5), part(LifeKind::decode, 3.5, 4)));
  EXPECT_THAT(parts(2), ElementsAre(part(LifeKind::gateway, 1, 1.125)));
}

TEST(FlowsFile, KnowsWhichLinksAFlowCrossed) {
  const TemporaryFolder folder;
  put_text(folder / "flows.csv",
           "flow,kind,from,to,links,bytes,start_s,end_s\n"
           "0,kv_hand_over,node0.gpu1,node1.gpu0,node0.nic1/out node1.nic0/in,8,1,2\n"
           "1,kv_fetch,node0,node0.gpu1,,8,1,2\n");
  const Flows flows = read_flows(folder / "flows.csv");
  EXPECT_TRUE(flows.crosses(0, "node0.nic1/out"));
  EXPECT_TRUE(flows.crosses(0, "node1.nic0/in"));
  EXPECT_FALSE(flows.crosses(0, "node0.nic1"));
  EXPECT_FALSE(flows.crosses(1, "node0.nic1/out"));
}

TEST(Bins, count_every_value_once) {
  const Column values{1, 10, 100, std::numeric_limits<double>::quiet_NaN(), 0};
  const Binning log = binning_of(values, true);
  EXPECT_LT(log.low, 1);
  EXPECT_GT(log.high, 100);
  const auto bins = bins_of(values, log);
  EXPECT_EQ(bins[3], no_bin);
  EXPECT_EQ(bins[4], 0);  // what a logarithm has no place for lies at the very left
  // 10 is half way between 1 and 100 on that scale
  EXPECT_NEAR(static_cast<double>(bins[1]), Binning::bins / 2.0, 2);
  EXPECT_NEAR(log.edge(bins[1]), 10, 0.1);
  const Counts all = count(bins);
  EXPECT_EQ(std::accumulate(all.begin(), all.end(), 0u), 4u);
  const Counts some = count(bins, std::vector<std::uint8_t>{0, 1, 0, 1, 0});
  EXPECT_EQ(std::accumulate(some.begin(), some.end(), 0u), 1u);
}

TEST(Decimate, keeps_least_and_largest_of_each_column) {
  const Column time_s{0, 1, 2, 3, 8}, values{5, 1, 9, 4, 2};
  const auto columns = decimate(time_s, values, {0, 10}, 5);  // two seconds each
  EXPECT_EQ(columns[0].low, 1);
  EXPECT_EQ(columns[0].high, 5);
  EXPECT_EQ(columns[1].low, 4);
  EXPECT_EQ(columns[1].high, 9);
  EXPECT_EQ(columns[2].high, 4);  // nothing begins here: the value holds
  EXPECT_EQ(columns[3].low, 4);
  EXPECT_EQ(columns[4].high, 2);
}

TEST(Ticks, are_round_and_within) {
  EXPECT_THAT(linear_ticks(0, 10, 5), ElementsAre(0, 2, 4, 6, 8, 10));
  EXPECT_THAT(log_ticks(0.9, 1100), ElementsAre(1, 10, 100, 1000));
  EXPECT_THAT(log_ticks(0.9, 11), ElementsAre(1, 2, 5, 10));
  EXPECT_EQ(tick_text(Quantity::latency_s, 0.05, 1), "50 ms");
  EXPECT_EQ(tick_text(Quantity::watts, 500, 2000), "0.5 kW");
  EXPECT_EQ(text_of(Quantity::latency_s, std::nan("")), "—");
}

}  // namespace servecast::gui::requests_test
