#include "gui/data/report/report.h"

#include <gmock/gmock.h>

#include <cmath>

#include "tests/unit/gui/report_files.h"
#include "tests/unit/message_of.h"

namespace servecast::gui::report_test {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::NanSensitiveDoubleEq;

constexpr double absent = std::numeric_limits<double>::quiet_NaN();

std::string message_of_reading(const std::string& folder) {
  return message_of([&] { const Report report(folder, "0.1.0"); });
}

TEST(Report, has_what_the_files_say) {
  const TemporaryFolder folder;
  const Report report(write_report(folder, "r"), "0.1.0");
  EXPECT_EQ(report.label, "r");
  EXPECT_THAT(report.notice, IsEmpty());
  EXPECT_THAT(report.requests.prompt_tokens, ElementsAre(100, 900, 50));
  EXPECT_EQ(report.requests.pool[2], "code");
  // TTFT: first_token_s - arrival_s; the rejected request has none
  EXPECT_THAT(report.requests[Metric::ttft_s], ElementsAre(1, NanSensitiveDoubleEq(absent), 3.5));
  // TPOT: (4 - 2) / (5 - 1) and (6.25 - 6) / (2 - 1)
  EXPECT_THAT(report.requests[Metric::tpot_s], ElementsAre(0.5, NanSensitiveDoubleEq(absent), 0.25));
  ASSERT_EQ(report.series.size(), 2u);
  EXPECT_EQ(report.series[1].pool, "code");
  EXPECT_THAT(report.series[0][Amount::running], ElementsAre(2, 4));
  EXPECT_FALSE(report.platform);
}

TEST(Report, end_to_end_is_of_completed_requests) {
  const TemporaryFolder folder;
  const Report report(write_report(folder, "r", requests_head + "0,1,2,3,9,10,3,chat,0,0,timed_out\n"), "0.1.0");
  EXPECT_THAT(report.requests[Metric::e2e_s], ElementsAre(NanSensitiveDoubleEq(absent)));
  EXPECT_THAT(report.requests[Metric::ttft_s], ElementsAre(2));
}

TEST(Report, says_what_is_wrong_with_it) {
  const TemporaryFolder folder;
  EXPECT_THAT(message_of_reading((folder / "nothing").string()), HasSubstr("there is no such report folder"));

  const std::string cut = write_report(folder, "cut", three_requests.substr(0, three_requests.size() - 20));
  EXPECT_THAT(message_of_reading(cut), HasSubstr("requests.csv:4: the line breaks off: the file was cut short"));

  const std::string short_row = write_report(folder, "short_row", requests_head + "0,1,2\n");
  EXPECT_THAT(message_of_reading(short_row), HasSubstr("requests.csv:2: the row has too few cells"));

  const std::string no_number = write_report(folder, "no_number", requests_head + "0,x,,,,1,0,chat,,0,rejected\n");
  EXPECT_THAT(message_of_reading(no_number), HasSubstr("requests.csv:2: 'x' is no number in column 'arrival_s'"));

  const std::string no_column = write_report(folder, "no_column", "request_id,arrival_s\n");
  EXPECT_THAT(message_of_reading(no_column), HasSubstr("there is no column 'scheduled_s'"));

  const std::string empty = write_report(folder, "empty", "");
  EXPECT_THAT(message_of_reading(empty), HasSubstr("requests.csv: the file is empty"));

  const std::string no_summary = write_report(folder, "no_summary");
  put_text(no_summary + "/summary.json", "{\"name\": \"ha");
  EXPECT_THAT(message_of_reading(no_summary), HasSubstr("summary.json"));
}

TEST(Report, newer_ones_are_read_with_a_notice) {
  const TemporaryFolder folder;
  const std::string newer = write_report(folder, "newer",
                                         "moon_phase,request_id,arrival_s,scheduled_s,first_token_s,finish_s,prompt_"
                                         "tokens,output_tokens,pool,replica,preemptions,status,cached_tokens\n"
                                         "full,0,1,1.5,2,4,100,5,\"a,b\",0,0,completed,\n",
                                         {.version = "0.10.0", .duration_s = 8});
  const Report report(newer, "0.9.2");
  EXPECT_THAT(report.notice, HasSubstr("written by servecast 0.10.0, this is 0.9.2"));
  EXPECT_THAT(report.requests.request_id, ElementsAre(0));
  EXPECT_EQ(report.requests.pool[0], "a,b");
  EXPECT_TRUE(std::isnan(report.requests.cached_tokens[0]));
  EXPECT_FALSE(later_version("0.9.2", "0.10.0"));
}

TEST(Report, a_broken_detail_leaves_the_rest) {
  const TemporaryFolder folder;
  const std::string path = write_report(folder, "r");
  put_text(path + "/replicas.csv", "time_s,replica\n0,");
  const Report report(path, "0.1.0");
  EXPECT_FALSE(report.replicas);
  EXPECT_THAT(report.notice, HasSubstr("replicas.csv"));
  EXPECT_EQ(report.requests.size(), 3u);
}

TEST(Report, replicas_and_links_at_a_moment) {
  const TemporaryFolder folder;
  const std::string path = write_report(folder, "r");
  put_text(path + "/replicas.csv",
           "time_s,replica,pool,running,waiting,kv_used_fraction,busy_fraction\n"
           "0,0,chat,1,0,0.1,0.9\n0,1,chat,2,0,0.2,0.8\n1,0,chat,3,0,0.3,0.7\n1,1,chat,4,0,0.4,0.6\n");
  put_text(path + "/links.csv", "link,time_s,bytes,used_fraction\na,0,5,0.5\na,1,6,0.6\nb,1,7,0.7\n");
  const Report report(path, "0.1.0");
  ASSERT_TRUE(report.replicas && report.links);
  EXPECT_EQ(report.replicas->rows_at(0.99), std::pair(std::size_t{0}, std::size_t{2}));
  EXPECT_EQ(report.replicas->rows_at(1), std::pair(std::size_t{2}, std::size_t{4}));
  EXPECT_EQ(report.replicas->rows_at(99), std::pair(std::size_t{2}, std::size_t{4}));
  EXPECT_THAT(report.replicas->rows_of(1), ElementsAre(1, 3));
  EXPECT_THAT(report.links->used_at(0.5), ElementsAre(0.5, 0));
  EXPECT_THAT(report.links->used_at(1.5), ElementsAre(0.6, 0.7));
  EXPECT_THAT(report.links->used_at(2.5), ElementsAre(0, 0));
}

}  // namespace servecast::gui::report_test
