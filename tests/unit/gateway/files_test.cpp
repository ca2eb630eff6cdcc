// What the gateway adds to the files of a report.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "sim/report/csv_reports.h"
#include "sim/report/detail_csv.h"
#include "sim/report/output_folder.h"
#include "sim/report/summary.h"
#include "sim/report/text_report.h"

namespace servecast {
namespace {

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
  EXPECT_EQ(text_of(file), std::string(GatewayCsv::header) + "\n7,threshold,stage,1,1.5,0.25,10,20\n");
  EXPECT_NE(std::ranges::find(report_files, "gateway.csv"), report_files.end()) << "a report may hold it";
}

TEST(GatewayFiles, RequestsHaveColumnsOfTheirGateway) {
  const std::vector<RequestRecord> requests{
      {.id = RequestId{0}, .arrival_s = 1, .finish_s = 2, .prompt_tokens = 5, .status = RequestStatus::completed},
      {.id = RequestId{1}, .arrival_s = 3, .status = RequestStatus::completed, .off_pools = true}};
  const std::vector<GatewayRecord> gateway{
      {.id = RequestId{0}, .answered_by = 0, .passes = 2, .gateway_s = 0.5, .usd = 0.25, .score = 0.75},
      {.id = RequestId{1}, .answered_by = GatewayRecord::memory}};
  RunFacts facts{.pools = {{.name = "chat"}}, .classes = {""}};
  facts.gateway.targets = {{.name = "chat"}};
  write_requests_csv(folder / "a.csv", requests, facts, gateway);
  EXPECT_EQ(text_of(folder / "a.csv"), std::string(requests_header) +
                                           ",answered_by,passes,gateway_s,gateway_usd,score\n"
                                           "0,1,,,2,5,0,chat,0,0,completed,chat,2,0.5,0.25,0.75\n"
                                           "1,3,,,,0,0,chat,,0,completed,memory,0,0,0,\n");
  write_requests_csv(folder / "b.csv", requests, facts);
  EXPECT_EQ(text_of(folder / "b.csv").find("answered_by"), std::string::npos);
}

TEST(GatewayFiles, SummaryComesBackAsItWasWritten) {
  Summary summary{.name = "a gateway"};
  summary.gateway.whole = {{.policy = "gateway", .requests = 3}};
  summary.gateway.stages = {{.policy = "threshold",
                             .requests = 3,
                             .second_passes = 1,
                             .delay_s = Statistics{.mean = 0.5},
                             .usd = 0.25,
                             .counts = {{"to_strong", 2}}}};
  summary.gateway.answered_by = {{.target = "chat", .passes = 3, .answers = 3, .answers_fraction = 1}};
  summary.gateway.quality = {{.request_class = "", .requests = 3, .scored = 2, .score = 0.75}};
  summary.gateway.perceived = {{.request_class = "code", .stall_s = Statistics{.mean = 2}}};
  summary.gateway.bill = {{.item = "all", .usd = 4, .usd_per_request = 2}};
  EXPECT_TRUE(summary_from(to_json(summary), "test") == summary);
  EXPECT_TRUE(to_json(Summary{}).find("gateway") == std::string::npos) << "nothing is said of what is not there";
}

}  // namespace
}  // namespace servecast
