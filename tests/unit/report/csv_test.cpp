#include <gmock/gmock.h>

#include "models/base/error.h"
#include "sim/report/csv/csv_reports.h"
#include "sim/report/csv/detail_csv.h"
#include "tests/unit/report/files.h"
#include "tests/unit/report/made_up.h"

namespace servecast::csv_test {

using testing::HasSubstr;
using testing::StartsWith;

TEST(CsvWriter, CellsOfEveryKind) {
  const TemporaryFolder folder;
  CsvWriter csv(folder / "a.csv", "a,b");
  csv.cell(0.1).cell(1.0 / 3).cell(-5).cell(std::optional<double>{}).cell("plain").end_row();
  csv.cell("with, comma").cell("with \"quote\"").cell(std::optional<int>(3)).cell("").end_row();
  csv.close();
  EXPECT_EQ(read_text(folder / "a.csv"),
            "a,b\n0.1,0.3333333333333333,-5,,plain\n\"with, comma\",\"with \"\"quote\"\"\",3,\n");
}

TEST(CsvWriter, MoreThanItsBufferHolds) {
  const TemporaryFolder folder;
  const std::string longer(700'000, 'x');
  CsvWriter csv(folder / "a.csv", "a,b");
  std::string expected = "a,b\n";
  for (int i = 0; i < 100'000; ++i) {
    csv.cell(i).cell(i + 0.5).end_row();
    expected += std::to_string(i) + "," + std::to_string(i) + ".5\n";
  }
  csv.cell(longer).end_row();
  csv.close();
  EXPECT_EQ(read_text(folder / "a.csv"), expected + longer + "\n");
}

TEST(CsvWriter, SaysWhyItCannotWrite) {
  const TemporaryFolder folder;
  EXPECT_THROW(CsvWriter(folder / "missing/a.csv", "a"), UserError);
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "no /dev/full";
  CsvWriter csv("/dev/full", "a");
  try {
    csv.close();
    FAIL() << "a full disk went unnoticed";
  } catch (const UserError& e) {
    EXPECT_EQ(std::string(e.what()), "/dev/full: cannot be written: No space left on device");
  }
}

TEST(RequestsCsv, OneRowPerRequestInOrderOfIds) {
  const TemporaryFolder folder;
  write_requests_csv(folder / "requests.csv", made_up::recorder().requests(), made_up::facts());
  EXPECT_EQ(read_text(folder / "requests.csv"),
            "request_id,arrival_s,scheduled_s,first_token_s,finish_s,prompt_tokens,output_tokens,pool,replica,"
            "preemptions,status\n"
            "0,0,0.5,1,3,100,5,chat,0,1,completed\n"
            "1,1,1,1.25,1.25,50,1,chat,1,0,completed\n"
            "2,2,,,,999,0,chat,,0,rejected\n"
            "3,4,6,7,,30,2,chat,1,0,unfinished\n"
            "4,5,5.5,6,7,20,3,chat,0,0,completed\n");
}

TEST(RequestsCsv, FurtherColumnsWhereTheyHaveSomethingToSay) {
  const TemporaryFolder folder;
  std::vector<RequestRecord> requests = made_up::requests();
  requests.resize(2);
  requests[1].cached_tokens = 64;
  write_requests_csv(folder / "a.csv", requests, made_up::facts());
  EXPECT_THAT(read_text(folder / "a.csv"),
              HasSubstr(",status,cached_tokens\n4,5,5.5,6,7,20,3,chat,0,0,completed,0\n"));
  requests[0].request_class = ClassId{1};
  write_requests_csv(folder / "b.csv", requests, made_up::facts());
  EXPECT_THAT(read_text(folder / "b.csv"), HasSubstr(",status,cached_tokens,class\n"));
  EXPECT_THAT(read_text(folder / "b.csv"), HasSubstr(",completed,0,urgent\n"));
  EXPECT_THAT(read_text(folder / "b.csv"), HasSubstr(",completed,64,plain\n"));
}

TEST(SeriesCsv, Rows) {
  const TemporaryFolder folder;
  const std::vector<SeriesRow> rows{{.time_s = 3,
                                     .arrivals = 2,
                                     .running = 1.5,
                                     .waiting = 0.25,
                                     .kv_used_fraction = 0.5,
                                     .busy_gpus = 1,
                                     .prompt_tokens_per_s = 640,
                                     .output_tokens_per_s = 7,
                                     .watts = 300,
                                     .usd = 0.125}};
  write_series_csv(folder / "series.csv", rows, made_up::facts());
  EXPECT_EQ(read_text(folder / "series.csv"),
            "time_s,pool,arrivals,running,waiting,kv_used_fraction,busy_gpus,prompt_tokens_per_s,output_tokens_per_s,"
            "watts,usd\n3,chat,2,1.5,0.25,0.5,1,640,7,300,0.125\n");
}

TEST(DetailCsv, Steps) {
  const TemporaryFolder folder;
  StepsCsv csv(folder / "steps.csv", {"chat"});
  const std::vector<StepMember> who{{.id = RequestId{12}, .tokens = 1}, {.id = RequestId{7}, .tokens = 512}};
  csv.add({.replica = ReplicaId{3},
           .start_s = 0.5,
           .end_s = 0.75,
           .decode_sequences = 1,
           .prefill_sequences = 1,
           .prefill_tokens = 512,
           .emitted_tokens = 2,
           .used_blocks = 40,
           .energy_j = 100},
          who);
  csv.add({.replica = ReplicaId{3}, .start_s = 0.75, .end_s = 1}, {});
  csv.close();
  EXPECT_EQ(read_text(folder / "steps.csv"),
            "replica,pool,start_s,end_s,decode_sequences,prefill_sequences,prefill_tokens,emitted_tokens,used_blocks,"
            "energy_j,"
            "members\n3,chat,0.5,0.75,1,1,512,2,40,100,12:1 7:512\n3,chat,0.75,1,0,0,0,0,0,0,\n");
}

TEST(DetailCsv, ReplicasLinksAndFlows) {
  const TemporaryFolder folder;
  ReplicasCsv replicas(folder / "replicas.csv", {"chat"});
  replicas.add({.time_s = 2,
                .replica = ReplicaId{1},
                .running = 4,
                .waiting = 1,
                .kv_used_fraction = 0.25,
                .busy_fraction = 0.5,
                .state = "broken"});
  replicas.close();
  EXPECT_EQ(
      read_text(folder / "replicas.csv"),
      "time_s,replica,pool,running,waiting,kv_used_fraction,busy_fraction,state\n2,1,chat,4,1,0.25,0.5,broken\n");

  LinksCsv links(folder / "links.csv");
  links.add({.link = "node0.nic1", .time_s = 2, .bytes = 5e9, .used_fraction = 0.1});
  links.close();
  EXPECT_EQ(read_text(folder / "links.csv"), "link,time_s,bytes,used_fraction\nnode0.nic1,2,5e+09,0.1\n");

  FlowsCsv flows(folder / "flows.csv");
  flows.add({.flow = 4,
             .kind = "kv_hand_over",
             .from = "g0",
             .to = "g1",
             .links = "g0/out g1/in",
             .bytes = 1024,
             .start_s = 1,
             .end_s = 1.5});
  flows.close();
  EXPECT_EQ(read_text(folder / "flows.csv"),
            "flow,kind,from,to,links,bytes,start_s,end_s\n4,kv_hand_over,g0,g1,g0/out g1/in,1024,1,1.5\n");
}

}  // namespace servecast::csv_test
