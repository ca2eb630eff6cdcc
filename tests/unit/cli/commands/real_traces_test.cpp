// Whole public traces through the program, with all that it can write: laws that hold whatever the models say.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

#include "sim/input/files/csv.h"
#include "tests/unit/cli/servecast.h"
#include "tests/unit/input/trace_testing.h"

namespace servecast::real_traces_test {

struct Replay {
  std::string scenario;  // in scenarios/
  std::string trace;     // in the folder of the real traces
  std::int64_t requests = 0;
};

double number(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  EXPECT_TRUE(error == std::errc{} && end == text.data() + text.size()) << "no number: " << text;
  return value;
}

/// A file of the report, row by row.
class Table {
 public:
  explicit Table(const std::string& file) : lines_(file) { csv_.read_header(*lines_.next()); }
  bool next() {
    const std::optional<Line> line = lines_.next();
    if (line) cells_ = csv_.cells(*line);
    return line.has_value();
  }
  std::string_view text(std::string_view column) const { return cells_[csv_.column(column)]; }
  double operator[](std::string_view column) const { return number(text(column)); }

 private:
  LineReader lines_;
  Csv csv_;
  std::vector<std::string_view> cells_;
};

class RealReplay : public testing::TestWithParam<Replay> {
 protected:
  void SetUp() override {
    trace_ = real_trace(GetParam().trace);
    if (!trace_) GTEST_SKIP() << "no real traces here";
  }
  std::vector<std::string> command(const std::string& name) const {
    return {name,    SERVECAST_SOURCE_DIR "/scenarios/" + GetParam().scenario,
            "--set", "workload.trace.path=" + *trace_,
            "--set", "pools[0].engine=none"};  // Little's law is the engine's
  }
  Outcome run(const std::string& report) const {
    std::vector<std::string> arguments = command("run");
    for (const char* word : {"--detail", "replicas,links,flows,steps", "--out"}) arguments.emplace_back(word);
    arguments.push_back(folder_ / report);
    return servecast_with(arguments);
  }

  const TestFolder folder_;
  std::optional<std::string> trace_;
};

/// Adds up what `members`, "id:tokens id:tokens ...", says that a step worked on.
void add_work(std::string_view members, std::vector<std::int64_t>& tokens_of) {
  for (std::size_t at = 0; at < members.size();) {
    const std::size_t end = std::min(members.find(' ', at), members.size());
    const std::size_t colon = members.find(':', at);
    const auto id = static_cast<std::size_t>(number(members.substr(at, colon - at)));
    tokens_of.at(id) += static_cast<std::int64_t>(number(members.substr(colon + 1, end - colon - 1)));
    at = end + 1;
  }
}

// Of each request: what the trace asks for is made, and every token of it is worked on exactly once. The last output
// token is never fed back, so the steps work on prompt + output - 1 tokens, and once more after a preemption.
TEST_P(RealReplay, completes_every_request_and_conserves_tokens) {
  ASSERT_EQ(run("report").status, 0);
  std::vector<std::int64_t> worked(static_cast<std::size_t>(GetParam().requests));
  double emitted = 0;
  for (Table steps(folder_ / "report/steps.csv"); steps.next(); emitted += steps["emitted_tokens"])
    add_work(steps.text("members"), worked);

  Opened trace = open_file(*trace_);
  double output_tokens = 0;
  std::size_t rows = 0;
  for (Table requests(folder_ / "report/requests.csv"); requests.next(); ++rows) {
    const std::optional<Request> asked = trace.workload->next();
    ASSERT_TRUE(asked);
    ASSERT_EQ(requests.text("status"), "completed");
    ASSERT_EQ(requests["request_id"], index(asked->id));
    ASSERT_EQ(requests["arrival_s"], asked->arrival_s);
    ASSERT_EQ(requests["prompt_tokens"], asked->prompt_tokens);
    ASSERT_EQ(requests["output_tokens"], asked->output_tokens);
    ASSERT_EQ(requests["preemptions"], 0);
    ASSERT_EQ(worked[rows], asked->prompt_tokens + asked->output_tokens - 1) << "request " << rows;
    output_tokens += requests["output_tokens"];
  }
  EXPECT_EQ(rows, static_cast<std::size_t>(GetParam().requests));
  EXPECT_FALSE(trace.workload->next());
  EXPECT_EQ(emitted, output_tokens);
}

TEST_P(RealReplay, never_holds_more_kv_than_there_is) {
  std::vector<std::string> check = command("check");
  for (const char* word : {"--format", "json"}) check.emplace_back(word);
  const auto pool = nlohmann::json::parse(servecast_with(check).out)["pools"][0];
  const auto blocks = static_cast<double>(pool["kv_pool_tokens"].get<std::int64_t>() / 16);
  ASSERT_EQ(run("report").status, 0);
  double most = 0;
  for (Table steps(folder_ / "report/steps.csv"); steps.next();) most = std::max(most, steps["used_blocks"]);
  EXPECT_GT(most, 0);
  EXPECT_LE(most, blocks);
  for (const std::string file : {"series.csv", "replicas.csv"})
    for (Table rows(folder_ / "report/" + file); rows.next();) {
      ASSERT_GE(rows["kv_used_fraction"], 0) << file;
      ASSERT_LE(rows["kv_used_fraction"], 1) << file;
    }
  const auto summary = nlohmann::json::parse(text_of(folder_ / "report/summary.json"));
  EXPECT_NEAR(summary["pools"][0]["kv_used_fraction_max"], most / blocks, 1e-8);
}

// Little's law: requests in the system, integrated over time, are the times that they spent in it, summed.
TEST_P(RealReplay, series_and_requests_keep_littles_law) {
  ASSERT_EQ(run("report").status, 0);
  double in_system_s = 0;
  double end_s = 0;
  for (Table requests(folder_ / "report/requests.csv"); requests.next();) {
    in_system_s += requests["finish_s"] - requests["arrival_s"];
    end_s = std::max(end_s, requests["finish_s"]);
  }
  double integral_s = 0;
  double arrivals = 0;
  for (Table series(folder_ / "report/series.csv"); series.next(); arrivals += series["arrivals"])
    integral_s += (series["running"] + series["waiting"]) * std::min(1.0, end_s - series["time_s"]);
  EXPECT_NEAR(integral_s / in_system_s, 1, 1e-6);
  EXPECT_EQ(arrivals, static_cast<double>(GetParam().requests));
}

TEST_P(RealReplay, gives_the_same_bytes_twice) {
  for (const std::string report : {"first", "second"}) {  // SimGrid runs once per process
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) ::_exit(run(report).status);
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_EQ(status, 0);
  }
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder_ / "first")) {
    ++files;
    const std::string name = entry.path().filename().string();
    EXPECT_TRUE(text_of(folder_ / "first/" + name) == text_of(folder_ / "second/" + name)) << name << " differs";
  }
  EXPECT_EQ(files, 8u);  // summary, requests, series, platform, replicas, links, flows, steps
}

INSTANTIATE_TEST_SUITE_P(
    , RealReplay,
    testing::Values(Replay{"azure_chat.yaml", "azure2023/AzureLLMInferenceTrace_conv.csv.gz", 19'366},
                    Replay{"mooncake_70b.yaml", "mooncake/conversation_trace.jsonl.gz", 12'031}),
    [](const auto& test) { return test.param.scenario.substr(0, test.param.scenario.find('_')); });

}  // namespace servecast::real_traces_test
