#include "sim/report/files/perfetto.h"

#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>

#include "models/base/error.h"
#include "sim/report/record/platform.h"
#include "tests/unit/report/files.h"
#include "tests/unit/report/made_up.h"

namespace servecast::perfetto_test {

nlohmann::json events_of(const std::filesystem::path& file) {
  return nlohmann::json::parse(read_text(file))["traceEvents"];
}

TEST(Perfetto, StepsAreSpansOfTheirReplica) {
  const TemporaryFolder folder;
  PerfettoTrace trace(folder / "trace.json", {"chat \"fast\""});
  trace.step({.replica = ReplicaId{1},
              .start_s = 0.5,
              .end_s = 0.75,
              .decode_sequences = 3,
              .prefill_sequences = 1,
              .prefill_tokens = 40,
              .emitted_tokens = 3,
              .used_blocks = 9});
  trace.step({.replica = ReplicaId{1}, .start_s = 0.75, .end_s = 1.00000025, .decode_sequences = 3});
  trace.close();
  const nlohmann::json events = events_of(folder / "trace.json");
  ASSERT_EQ(events.size(), 4u);  // pool name, replica name, two steps
  EXPECT_EQ(events[0]["args"]["name"], "chat \"fast\"");
  EXPECT_EQ(events[1]["args"]["name"], "replica 1");
  EXPECT_EQ(events[2]["ph"], "X");
  EXPECT_EQ(events[2]["name"], "mixed");
  EXPECT_EQ(events[2]["ts"], 500000.0);
  EXPECT_EQ(events[2]["dur"], 250000.0);
  EXPECT_EQ(events[2]["args"]["prefill_tokens"], 40);
  EXPECT_EQ(events[3]["name"], "decode");
  EXPECT_EQ(events[3]["dur"], 250000.25);
  EXPECT_EQ(events[3]["tid"], events[2]["tid"]);
}

TEST(Perfetto, BatchesThatOverlapTakeARowEach) {
  const TemporaryFolder folder;
  PerfettoTrace trace(folder / "trace.json", {"chat"});
  trace.step({.start_s = 0, .end_s = 2});
  trace.step({.start_s = 1, .end_s = 3});
  trace.step({.start_s = 2, .end_s = 4});
  trace.close();
  std::vector<int> rows;
  for (const nlohmann::json& event : events_of(folder / "trace.json"))
    if (event["ph"] == "X") rows.push_back(event["tid"]);
  EXPECT_EQ(rows, (std::vector<int>{0, 1, 0}));
}

TEST(Perfetto, RequestsAreTracksOfTheirOwn) {
  const TemporaryFolder folder;
  PerfettoTrace trace(folder / "trace.json", {"chat"});
  for (const RequestRecord& r : made_up::requests()) trace.request(r);
  trace.close();
  std::map<int, std::string> lives;  // by request
  for (const nlohmann::json& event : events_of(folder / "trace.json"))
    if (event.value("cat", "") == "request")
      lives[event["id"]] += event["ph"].get<std::string>() + ":" + event["name"].get<std::string>() + "@" +
                            std::to_string(event["ts"].get<int>() / 1000) + " ";
  EXPECT_EQ(lives[0], "b:queue@0 e:queue@500 b:prefill@500 e:prefill@1000 b:decode@1000 e:decode@3000 ");
  EXPECT_EQ(lives[3], "b:queue@4000 e:queue@6000 b:prefill@6000 e:prefill@7000 ");  // unfinished
  EXPECT_FALSE(lives.contains(2));                                                  // rejected
}

TEST(Perfetto, SaysWhyItCannotWrite) {
  EXPECT_THROW(PerfettoTrace("/nowhere/trace.json", {}), UserError);
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "no /dev/full";
  PerfettoTrace trace("/dev/full", {"chat"});
  EXPECT_THROW(trace.close(), UserError);
}

TEST(Platform, WrittenAsItIsWired) {
  const Platform platform{
      .nodes = {{.name = "node0", .kind = "dgx_h100"}},
      .gpus = {{.name = "node0.gpu0", .kind = "h100_sxm_80g", .node = "node0"}},
      .links =
          {{.name = "nv0", .kind = "nvlink", .from = "node0.gpu0", .to = "node0.nvswitch", .bytes_per_s = 450e9}},
      .replicas = {{.replica = 0, .pool = "chat", .gpus = {"node0.gpu0"}}}};
  const auto json = nlohmann::ordered_json::parse(to_json(platform));
  EXPECT_EQ(json["nodes"][0]["kind"], "dgx_h100");
  EXPECT_EQ(json["gpus"][0]["node"], "node0");
  EXPECT_EQ(json["links"][0]["bytes_per_s"], 450e9);
  EXPECT_EQ(json["replicas"][0]["gpus"][0], "node0.gpu0");
  EXPECT_EQ(to_json(Platform{}), "{\n  \"nodes\": [],\n  \"gpus\": [],\n  \"links\": [],\n  \"replicas\": []\n}\n");
}

}  // namespace servecast::perfetto_test
