// What the gateway adds to the files of a report.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "sim/report/csv/csv_reports.h"
#include "sim/report/csv/detail_csv.h"
#include "sim/report/files/output_folder.h"
#include "sim/report/summary/summary.h"
#include "sim/report/text/text_report.h"

namespace servecast::files_test {

std::string text_of(const std::filesystem::path& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

const std::filesystem::path folder = testing::TempDir();

TEST(GatewayFiles, GatewayCsvHasARowForEachEvent) {
  const auto file = folder / "gateway.csv";
  GatewayCsv csv(file);
  csv.add({.id = RequestId{7},
           .what = "threshold",
           .kind = "stage",
           .start_s = 1,
           .end_s = 1.5,
           .usd = 0.25,
           .prompt_tokens = 10,
           .output_tokens = 20});
  csv.close();
  EXPECT_EQ(
      text_of(file),
      "request_id,what,kind,start_s,end_s,usd,prompt_tokens,output_tokens\n7,threshold,stage,1,1.5,0.25,10,20\n");
  EXPECT_NE(std::ranges::find(report_files, "gateway.csv"), report_files.end()) << "a report may hold it";
}

TEST(GatewayFiles, RequestsHaveColumnsOfTheirGateway) {
  const std::vector<RequestRecord> requests{
      {.id = RequestId{0}, .arrival_s = 1, .finish_s = 2, .prompt_tokens = 5, .status = RequestStatus::completed},
      {.id = RequestId{1}, .arrival_s = 3, .status = RequestStatus::completed, .off_pools = true}};
  const std::vector<GatewayRecord> gateway{
      {.id = RequestId{0}, .answered_by = 0, .llm_calls = 2, .gateway_s = 0.5, .usd = 0.25, .score = 0.75},
      {.id = RequestId{1}, .answered_by = GatewayRecord::memory}};
  RunFacts facts{.pools = {{.name = "chat"}}, .classes = {""}};
  facts.gateway.targets = {{.name = "chat"}};
  write_requests_csv(folder / "a.csv", requests, facts, gateway);
  EXPECT_EQ(text_of(folder / "a.csv"),
            "request_id,arrival_s,scheduled_s,first_token_s,finish_s,prompt_tokens,output_tokens,pool,replica,"
            "preemptions,status"
            ",answered_by,llm_calls,gateway_s,gateway_usd,score\n"
            "0,1,,,2,5,0,chat,0,0,completed,chat,2,0.5,0.25,0.75\n"
            "1,3,,,,0,0,chat,,0,completed,memory,0,0,0,\n");
  write_requests_csv(folder / "b.csv", requests, facts);
  EXPECT_EQ(text_of(folder / "b.csv").find("answered_by"), std::string::npos);
}

TEST(GatewayFiles, RequestsHaveColumnsOfTheirGraphsAndJobs) {
  const std::vector<RequestRecord> requests{{.id = RequestId{0}}, {.id = RequestId{1}}, {.id = RequestId{2}}};
  const std::vector<GatewayRecord> gateway{
      {.id = RequestId{0},
       .graph = GraphRecord{.makespan_s = 4, .node_time_s = 6, .prompt_tokens = 30, .output_tokens = 20},
       .job = JobRecord{.acknowledged_s = 0.5, .waited_s = 2, .kept = true}},
      {.id = RequestId{1}, .job = JobRecord{.acknowledged_s = 0.25, .kept = false}},
      {.id = RequestId{2}, .job = JobRecord{.refused = true}}};
  const RunFacts facts{.pools = {{.name = "chat"}}, .classes = {""}};
  write_requests_csv(folder / "c.csv", requests, facts, gateway);
  const std::string text = text_of(folder / "c.csv");
  EXPECT_NE(text.find(",score,makespan_s,node_time_s,graph_prompt_tokens,graph_output_tokens,acknowledged_s,waited_s,"
                      "deadline\n"),
            std::string::npos);
  EXPECT_NE(text.find(",,4,6,30,20,0.5,2,kept\n"), std::string::npos) << text;
  EXPECT_NE(text.find(",,,,,,0.25,,missed\n"), std::string::npos) << text;
  EXPECT_NE(text.find(",,,,,,,,\n"), std::string::npos) << "nothing is known of a refused request";
}

TEST(GatewayFiles, SummaryComesBackAsItWasWritten) {
  Summary summary{.name = "a gateway"};
  summary.gateway.whole = {{{.policy = "gateway", .requests = 3}}};
  summary.gateway.stages = {{{.policy = "threshold", .requests = 3, .follow_up_calls = 1, .usd = 0.25}}};
  summary.gateway.stages[0].delay_s = Statistics{.mean = 0.5};
  summary.gateway.stages[0].counts = {{"to_strong", 2}};
  summary.gateway.answered_by = {{.target = "chat", .llm_calls = 3, .answers = 3, .answers_fraction = 1}};
  summary.gateway.quality = {{.request_class = "", .requests = 3, .scored = 2, .score = 0.75}};
  summary.gateway.perceived = {{.request_class = "code", .stall_s = Statistics{.mean = 2}}};
  summary.gateway.bill = {{.item = "all", .usd = 4, .usd_per_request = 2}};
  summary.gateway.dispatch = {.time_s = Statistics{.mean = 0.25, .p99 = 0.5}, .jitter_s = 0.125};
  summary.gateway.graph = {.requests = 3, .makespan_s = Statistics{.mean = 4}, .plain_prompt_tokens_mean = 100};
  summary.gateway.graph_nodes = {{.node = "draft", .llm_calls = 6, .critical_fraction = 0.5, .critical_s_mean = 2}};
  summary.gateway.jobs = {{{.jobs = 3, .refused = 1, .due = 2}}};
  summary.gateway.jobs[0].kept_fraction = 0.5;
  EXPECT_TRUE(summary_from(to_json(summary), "test") == summary);
  EXPECT_TRUE(to_json(Summary{}).find("gateway") == std::string::npos) << "nothing is said of what is not there";
}

}  // namespace servecast::files_test
