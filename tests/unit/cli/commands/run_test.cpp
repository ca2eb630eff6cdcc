#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>

#include "servecast_version.h"
#include "tests/unit/cli/servecast.h"
#include "tests/unit/small_scenario.h"

// SimGrid can run once per process, so a test makes one run. (ctest gives each test a process of its own.)

namespace servecast::run_test {

using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::UnorderedElementsAre;

TEST(Run, prints_a_report) {
  const TestFolder folder;
  const Outcome outcome = servecast_with({"run", folder.write("s.yaml", small_scenario)});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("50 requests, 50 completed"));
  EXPECT_EQ(outcome.err, "");
  EXPECT_THAT(folder.names(), ElementsAre("s.yaml"));
}

TEST(Run, takes_a_text_that_is_not_saved) {
  const TestFolder folder;
  const std::string file = folder.write("s.yaml", small_scenario);
  std::string text = small_scenario;
  const std::string unsaved = folder.write("t.yaml", text.replace(text.find("requests: 50"), 12, "requests: 30"));
  const Outcome outcome = servecast_with({"run", file, "--text", unsaved, "--set", "seed=9"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("30 requests, 30 completed"));
}

TEST(Run, prints_json_with_version_seed_and_settings) {
  const TestFolder folder;
  const std::string file = folder.write("s.yaml", small_scenario);
  const Outcome outcome = servecast_with(
      {"run", file, "--format", "json", "--set", "pools[0].replicas=3", "--set", "pools[0].router.policy=random"});
  const json summary = json::parse(outcome.out);
  EXPECT_EQ(summary["version"], version);
  EXPECT_EQ(summary["seed"], 3);
  EXPECT_EQ(summary["requests"]["completed"], 50);
  EXPECT_EQ(summary["settings"]["pools"][0]["router"]["policy"], "random");
  EXPECT_EQ(summary["pools"][0]["replicas"], 3);
}

TEST(Run, writes_its_files) {
  const TestFolder folder;
  const std::string file = folder.write("s.yaml", small_scenario);
  const Outcome outcome = servecast_with({"run", file, "--out", folder / "report", "--format", "json"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(text_of(folder / "report/summary.json"), outcome.out);
  EXPECT_EQ(std::ranges::count(text_of(folder / "report/requests.csv"), '\n'), 51);  // header and 50
  EXPECT_TRUE(std::filesystem::exists(folder / "report/series.csv"));
  EXPECT_FALSE(std::filesystem::exists(folder / "report/steps.csv"));
  EXPECT_THAT(folder.names(), UnorderedElementsAre("s.yaml", "report"));
}

TEST(Run, writes_the_detail_and_the_trace_asked_for) {
  const TestFolder folder;
  const std::string file = folder.write("s.yaml", small_scenario);
  const Outcome outcome = servecast_with({"run", file, "--out", folder / "report", "--detail",
                                          "replicas,links,flows,steps@2:4", "--trace", folder / "trace.json"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(folder.names(), UnorderedElementsAre("s.yaml", "report", "trace.json"));
  for (const std::string name : {"platform.json", "replicas.csv", "links.csv", "flows.csv"})
    EXPECT_GT(text_of(folder / "report/" + name).size(), 0u) << name;
  std::istringstream steps(text_of(folder / "report/steps.csv"));
  std::string row;
  std::getline(steps, row);
  int rows = 0;
  for (; std::getline(steps, row); ++rows) {
    const double start_s = std::stod(row.substr(row.find("chat,") + 5));
    EXPECT_GE(start_s, 2);
    EXPECT_LT(start_s, 4);
  }
  EXPECT_GT(rows, 0);
  EXPECT_GT(json::parse(text_of(folder / "trace.json"))["traceEvents"].size(), 50u);
}

/// The states that a replica's rows go through, each once in a row.
std::string states_of(const std::string& replicas_csv, int replica) {
  std::istringstream lines(replicas_csv);
  std::string states, last;
  for (std::string line; std::getline(lines, line);) {
    const std::string second_cell = line.substr(line.find(',') + 1);
    const std::string state = line.substr(line.rfind(',') + 1);
    if (!second_cell.starts_with(std::to_string(replica) + ",") || state == last) continue;
    states += (states.empty() ? "" : " ") + state;
    last = state;
  }
  return states;
}

/// Replica 0 of the first pool breaks for 10 s and loads again; the second pool's other replica is never switched on.
TEST(Run, tells_idle_replicas_from_broken_ones_and_those_switched_off) {
  const TestFolder folder;
  const std::string file = folder.write("s.yaml", small_scenario);
  const Outcome outcome = servecast_with(
      {"run", file, "--out", folder / "r", "--detail", "replicas", "--set", "workload.generate.requests=300", "--set",
       "failures={engine_init_s: 5, events: [{at_s: 5.5, replica: 0, down_s: 10}]}", "--set",
       "pools=[{name: chat, llm: llama-3.1-8b, gpu: h100_sxm_80g, replicas: 2}, {name: spare, llm: llama-3.1-8b, gpu: "
       "h100_sxm_80g, replicas: 2, autoscaler: {policy: hpa, requests_per_s: 5}, scaling: {start_replicas: 1}}]"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const std::string rows = text_of(folder / "r/replicas.csv");
  EXPECT_EQ(states_of(rows, 0), "serving broken starting serving");
  EXPECT_EQ(states_of(rows, 1), "serving");
  EXPECT_EQ(states_of(rows, 2), "serving");
  EXPECT_EQ(states_of(rows, 3), "off");
}

TEST(Run, json_progress_ends_with_fraction_one) {
  const TestFolder folder;
  const Outcome outcome = servecast_with({"run", folder.write("s.yaml", small_scenario), "--progress", "json"});
  const std::string last = outcome.err.substr(outcome.err.rfind('\n', outcome.err.size() - 2) + 1);
  const json line = json::parse(last);
  EXPECT_EQ(line["fraction"], 1.0);
  EXPECT_EQ(line["arrived"], 50);
  EXPECT_EQ(line["finished"], 50);
}

TEST(Run, refuses_a_folder_that_is_not_a_report_before_it_simulates) {
  const TestFolder folder;
  const std::string file = folder.write("s.yaml", small_scenario);
  std::filesystem::create_directory(folder / "home");
  folder.write("home/letter.txt", "dear");
  const Outcome outcome = servecast_with({"run", file, "--out", folder / "home"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_EQ(outcome.out, "");
  EXPECT_THAT(outcome.err, HasSubstr("letter.txt"));
  EXPECT_EQ(text_of(folder / "home/letter.txt"), "dear");
}

/// servecast run FILE with these words is refused, and says so.
void expect_refused(const std::string& file, std::vector<std::string> words, const std::string& message) {
  words.insert(words.begin(), {"run", file});
  const Outcome outcome = servecast_with(words);
  EXPECT_EQ(outcome.status, 2);
  EXPECT_EQ(outcome.out, "");
  EXPECT_THAT(outcome.err, HasSubstr(message));
}

/// small_scenario with requests of a trace.
std::string traced_scenario(const std::string& trace) {
  std::string scenario = small_scenario;
  const std::size_t from = scenario.find("  generate:");
  return scenario.replace(from, scenario.find("slo:") - from, "  trace: {path: " + trace + "}\n");
}

TEST(Run, refuses_a_trace_in_place_of_what_it_reads) {
  const TestFolder folder;
  const std::string rows = "request_id,arrival_s,prompt_tokens,output_tokens\n0,0,100,10\n";
  const std::string requests = folder.write("t.csv", rows);
  const std::string file = folder.write("s.yaml", traced_scenario("t.csv"));
  std::filesystem::create_symlink("t.csv", folder / "link.csv");
  for (const std::string& trace : {file, requests, folder / "link.csv"})
    expect_refused(file, {"--trace", trace}, "--trace: '" + trace + "' is read by this run; give another file");
  EXPECT_EQ(text_of(file), traced_scenario("t.csv"));
  EXPECT_EQ(text_of(requests), rows);
  EXPECT_THAT(folder.names(), UnorderedElementsAre("s.yaml", "t.csv", "link.csv"));
}

TEST(Run, refuses_a_trace_in_the_folder_of_the_report) {
  const TestFolder folder;
  const std::string file = folder.write("s.yaml", small_scenario);
  std::filesystem::create_directory(folder / "old");
  std::filesystem::create_symlink("old", folder / "link");
  for (const std::string& out : {folder / "new", folder / "old", folder / "old/", folder / "link"}) {
    const std::string trace = out + "/t.json";
    expect_refused(file, {"--out", out, "--trace", trace},
                   "--trace: '" + trace +
                       "' lies in the folder of --out, which holds the report alone; give a place outside it");
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder / "old"));
  EXPECT_THAT(folder.names(), UnorderedElementsAre("s.yaml", "old", "link"));
}

TEST(Run, refuses_a_trace_in_place_of_a_folder_or_pipe) {
  const TestFolder folder;
  const std::string file = folder.write("s.yaml", small_scenario);
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  expect_refused(file, {"--trace", folder / "pipe"},
                 (folder / "pipe") + ": is no regular file; give the path of a file");
  expect_refused(file, {"--trace", folder / ""}, ": is a folder, not a file");
  EXPECT_TRUE(std::filesystem::is_fifo(folder / "pipe"));
}

TEST(Run, a_trace_goes_where_a_symbolic_link_leads) {
  const TestFolder folder;
  const std::string file = folder.write("s.yaml", small_scenario);
  std::filesystem::create_directory(folder / "far");
  std::filesystem::create_symlink("far/t.json", folder / "t.json");
  const Outcome outcome = servecast_with({"run", file, "--trace", folder / "t.json", "--out", folder / "report"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "t.json"));
  EXPECT_GT(json::parse(text_of(folder / "far/t.json"))["traceEvents"].size(), 50u);
}

TEST(Run, a_trace_that_breaks_off_later_is_one_message_and_leaves_nothing) {
  const TestFolder folder;
  std::string rows = "request_id,arrival_s,prompt_tokens,output_tokens\n";
  for (int i = 0; i < 3000; ++i) rows += std::to_string(i) + "," + std::to_string(i) + ",100,10\n";
  rows += "3000,5,100,10\n";  // time runs backwards
  folder.write("t.csv", rows);
  const std::string file = folder.write("s.yaml", traced_scenario("t.csv"));
  const Outcome outcome = servecast_with({"run", file, "--out", folder / "report"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_EQ(outcome.out, "");
  EXPECT_THAT(outcome.err, HasSubstr(folder / "t.csv:3002:"));
  EXPECT_THAT(folder.names(), UnorderedElementsAre("s.yaml", "t.csv"));
}

class RunCutShort : public testing::TestWithParam<int> {};

bool has_partial(const TestFolder& folder) {
  return std::ranges::any_of(folder.names(),
                             [](const std::string& name) { return name.find(".partial-") != std::string::npos; });
}

TEST_P(RunCutShort, leaves_the_old_report_whole) {
  const TestFolder folder;
  const std::string file = folder.write("s.yaml", small_scenario);
  std::filesystem::create_directory(folder / "report");
  folder.write("report/summary.json", "old");
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    ::signal(GetParam(), SIG_DFL);
    servecast_with({"run", file, "--set", "workload.generate.requests=1000000000", "--out", folder / "report",
                    "--trace", folder / "trace.json"});
    ::_exit(0);
  }
  for (int i = 0; i < 60'000 && !has_partial(folder); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_TRUE(has_partial(folder));
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  ::kill(child, GetParam());
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFSIGNALED(status));  // a shell shows 128 + its number: 130, 143
  EXPECT_EQ(WTERMSIG(status), GetParam());
  EXPECT_EQ(text_of(folder / "report/summary.json"), "old");
  EXPECT_THAT(folder.names(), UnorderedElementsAre("s.yaml", "report"));
}

INSTANTIATE_TEST_SUITE_P(by, RunCutShort, testing::Values(SIGINT, SIGTERM, SIGHUP),
                         [](const auto& test) { return "signal_" + std::to_string(test.param); });

}  // namespace servecast::run_test
