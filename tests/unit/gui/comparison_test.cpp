#include "gui/data/tables/comparison.h"

#include <gmock/gmock.h>

#include <QAbstractItemModelTester>

#include "tests/unit/gui/report_files.h"

namespace servecast::gui::comparison_test {

Summary summary_with(double ttft_p99_s, double usd_per_hour) {
  Summary summary{.version = "0.1.0", .duration_s = 8};
  summary.latencies.ttft_s = Statistics{.mean = 1, .p50 = 1, .p90 = 1, .p95 = 1, .p99 = ttft_p99_s, .max = 9};
  summary.cost.usd_per_hour = usd_per_hour;
  return summary;
}

class Comparison : public testing::Test {
 protected:
  TemporaryFolder folder_;
  Report first_{write_report(folder_, "a", three_requests, summary_with(2, 10)), "0.1.0"};
  Report second_{write_report(folder_, "b", three_requests, summary_with(3, 5)), "0.1.0"};

  static const ComparisonRow& row(const std::vector<ComparisonRow>& rows, const QString& name) {
    return *std::ranges::find(rows, name, [](const ComparisonRow& r) { return heading_of(r.figure); });
  }
  int row_of(const ComparisonModel& model, const QString& name) {
    for (int i = 0; i < model.rowCount(); ++i)
      if (model.data(model.index(i, 0)).toString() == name) return i;
    return -1;
  }
};

TEST_F(Comparison, differences_are_relative_to_the_first) {
  const std::array reports{&first_, &second_};
  const auto rows = compare(reports);
  EXPECT_DOUBLE_EQ(*row(rows, "TTFT p99").change(1), 0.5);  // 3 s by 2 s
  EXPECT_DOUBLE_EQ(*row(rows, "cost per hour").change(1), -0.5);
  EXPECT_FALSE(row(rows, "TPOT p50").change(1));  // neither has one
  EXPECT_FALSE(row(rows, "TTFT p99").apart(1));   // no replicates: not known
}

TEST_F(Comparison, the_table_says_better_and_worse) {
  ComparisonModel model;
  const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::Fatal);
  model.set_reports(std::array{&first_, &second_});
  const QModelIndex ttft = model.index(row_of(model, "TTFT p99"), 2);
  EXPECT_EQ(model.data(ttft).toString(), "3.00 s   +50.0 %");
  EXPECT_EQ(model.data(ttft, ComparisonModel::better_role).toInt(), -1);
  EXPECT_EQ(model.data(model.index(row_of(model, "cost per hour"), 2), ComparisonModel::better_role).toInt(), 1);
  EXPECT_EQ(model.headerData(2, Qt::Horizontal).toString(), "b");
}

TEST_F(Comparison, intervals_that_overlap_are_no_difference) {
  first_.interval = Interval{.replicates = 5, .p05 = summary_with(1.5, 10), .p95 = summary_with(2.8, 10)};
  second_.interval = Interval{.replicates = 5, .p05 = summary_with(2.5, 5), .p95 = summary_with(3.5, 5)};
  ComparisonModel model;
  model.set_reports(std::array{&first_, &second_});
  const QModelIndex ttft = model.index(row_of(model, "TTFT p99"), 2);
  EXPECT_EQ(model.data(ttft, ComparisonModel::better_role).toInt(), 0);  // 2.5 ... 3.5 begins below 2.8
  EXPECT_EQ(model.data(ttft).toString(), "3.00 s  [2.50 s … 3.50 s]   +50.0 %");
  second_.interval->p05 = summary_with(2.9, 5);
  model.set_reports(std::array{&first_, &second_});
  EXPECT_EQ(model.data(ttft, ComparisonModel::better_role).toInt(), -1);
}

}  // namespace servecast::gui::comparison_test
