#include "sim/plan/runs/forked_evaluator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <set>
#include <thread>

#include "models/base/error.h"
#include "sim/plan/runs/results_file.h"
#include "sim/plan/runs/simulator.h"
#include "tests/unit/report/files.h"

namespace servecast::forked_evaluator_test {

using testing::ElementsAre;
using testing::HasSubstr;

/// Simulates nothing. The key is the scenario's name; each run leaves a line in a file, since it is in another
/// process.
class MadeUp final : public Simulator {
 public:
  explicit MadeUp(std::string log) : log_(std::move(log)) {}
  LoadedRun load(const RunRequest& request) override {
    std::ofstream(log_ + ".loads", std::ios::app) << request.scenario << std::endl;
    if (request.scenario == "broken") throw UserError("no such file");
    request_ = request;
    return {.key = request.scenario,
            .learned = remembered.contains(request.scenario) ? "" : request.scenario,
            .rests_on = state};
  }
  std::string name(const RunRequest& request) override { return "name of " + request.scenario; }
  bool still(const std::string& rests_on) override { return rests_on == state; }
  void remember(const std::string& learned) override {
    remembered.insert(learned);
    ++told;
  }
  std::string run() override {
    std::ofstream(log_, std::ios::app) << request_.scenario << std::endl;
    if (request_.scenario == "killed") ::raise(SIGKILL);
    if (request_.scenario == "throws") throw std::runtime_error("out of luck");
    if (request_.scenario == "refused") throw UserError("row 7 is empty");
    if (request_.scenario == "hangs") std::this_thread::sleep_for(std::chrono::hours(1));
    Summary summary;
    summary.name = request_.scenario;
    summary.seed = request_.seed.value_or(0);
    return to_json(summary);
  }

  std::string state = "of all files";
  std::set<std::string> remembered{};
  int told = 0;

 private:
  std::string log_;
  RunRequest request_{};
};

std::vector<RunRequest> named(const std::vector<std::string>& names) {
  std::vector<RunRequest> requests;
  for (const std::string& name : names) requests.push_back({.scenario = name});
  return requests;
}

std::vector<std::string> lines_of(const std::string& file) {
  std::ifstream in(file);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

class ForkedEvaluatorTest : public testing::Test {
 protected:
  TemporaryFolder folder;
  MadeUp simulator{(folder / "log").string()};
  std::vector<std::string> loads() const { return lines_of((folder / "log.loads").string()); }
  std::vector<std::string> runs() const { return lines_of((folder / "log").string()); }
};

TEST_F(ForkedEvaluatorTest, ResultsComeInTheOrderOfTheRequests) {
  ForkedEvaluator evaluator(simulator, nullptr, {.at_a_time = 3});
  const auto results = evaluator.evaluate(named({"a", "b", "c", "d", "e", "f", "g"}));
  std::string names;
  for (const RunResult& result : results) names += result.summary.value().name;
  EXPECT_EQ(names, "abcdefg");
  EXPECT_EQ(runs().size(), 7);
}

TEST_F(ForkedEvaluatorTest, AFailureIsAResultAndTheOthersGoOn) {
  ForkedEvaluator evaluator(simulator, nullptr, {.at_a_time = 2});
  const auto results = evaluator.evaluate(named({"a", "broken", "killed", "throws", "b"}));
  EXPECT_TRUE(results[0].summary && results[4].summary);
  EXPECT_THAT(results[1].failure, HasSubstr("no such file"));
  EXPECT_THAT(results[2].failure, HasSubstr("Killed"));
  EXPECT_THAT(results[3].failure, HasSubstr("out of luck"));
  for (const std::size_t i : {1, 2, 3}) EXPECT_FALSE(results[i].summary);
}

TEST_F(ForkedEvaluatorTest, ARunThatCrashedIsNamed) {
  ForkedEvaluator evaluator(simulator, nullptr, {.at_a_time = 1});
  evaluator.evaluate(std::vector<RunRequest>{
      {.scenario = "broken"}, {.scenario = "killed", .set = {"a=1", "b[0]=2"}, .seed = 7}, {.scenario = "throws"}});
  ASSERT_EQ(evaluator.crashed().size(), 2u);  // what the user got wrong is none
  EXPECT_EQ(to_string(evaluator.crashed()[0]),
            "the run of killed with a=1, b[0]=2, seed 7 crashed: the simulation was ended by a signal: Killed");
  EXPECT_THAT(to_string(evaluator.crashed()[1]), HasSubstr("out of luck"));
}

TEST_F(ForkedEvaluatorTest, TheSameRunIsMadeOnce) {
  ForkedEvaluator evaluator(simulator, nullptr, {.at_a_time = 2});
  const auto results = evaluator.evaluate(named({"a", "a", "b", "a", "b"}));
  EXPECT_EQ(runs().size(), 2);
  EXPECT_EQ(evaluator.progress().simulated, 2);
  EXPECT_EQ(results[3].summary, results[0].summary);
  EXPECT_EQ(results[4].summary->name, "b");
}

TEST_F(ForkedEvaluatorTest, WhatTheFileHasIsNotRunAgain) {
  const std::string file = (folder / "plan.sqlite").string();
  std::vector<RunResult> first;
  {
    ResultsFile known(file);
    first = ForkedEvaluator(simulator, &known).evaluate(named({"a", "b", "broken"}));
    EXPECT_EQ(known.size(), 2);
  }
  ResultsFile known(file);
  ForkedEvaluator again(simulator, &known);
  const auto second = again.evaluate(named({"b", "c", "a", "broken"}));
  EXPECT_EQ(again.progress().simulated, 1);
  EXPECT_EQ(runs().size(), 3);
  EXPECT_EQ(second[0].summary, first[1].summary);
  EXPECT_EQ(second[2].summary, first[0].summary);
  EXPECT_EQ(second[3].failure, first[2].failure);  // a mistake is reported anew
}

TEST_F(ForkedEvaluatorTest, AKnownRequestIsNotLoadedWhileItsFilesAreAsTheyWere) {
  const std::string file = (folder / "plan.sqlite").string();
  ResultsFile known(file);
  const auto first = ForkedEvaluator(simulator, &known).evaluate(named({"a", "b"}));
  const auto second = ForkedEvaluator(simulator, &known).evaluate(named({"b", "a", "a"}));
  EXPECT_EQ(loads().size(), 2);
  EXPECT_EQ(second[0].summary, first[1].summary);
  EXPECT_EQ(second[2].summary, first[0].summary);
  simulator.state = "changed";
  ForkedEvaluator(simulator, &known).evaluate(named({"a"}));
  EXPECT_EQ(loads().size(), 3);
  EXPECT_EQ(runs().size(), 2);  // the key is the same: what was changed did not matter
  ForkedEvaluator(simulator, &known).evaluate(named({"a"}));
  EXPECT_EQ(loads().size(), 3);
}

/// What the simulator refuses it would refuse again; what was killed may go well another time.
TEST_F(ForkedEvaluatorTest, ARefusalIsAResultADeathIsNot) {
  ResultsFile known((folder / "plan.sqlite").string());
  for (int time = 0; time < 2; ++time) {
    const auto results = ForkedEvaluator(simulator, &known).evaluate(named({"refused", "killed"}));
    EXPECT_THAT(results[0].failure, HasSubstr("row 7 is empty"));
    EXPECT_THAT(results[1].failure, HasSubstr("Killed"));
  }
  EXPECT_EQ(std::ranges::count(runs(), "refused"), 1);
  EXPECT_EQ(std::ranges::count(runs(), "killed"), 2);
}

TEST_F(ForkedEvaluatorTest, StoppedItEndsItsChildrenAndKeepsWhatIsDone) {
  ResultsFile known((folder / "plan.sqlite").string());
  const EvaluatorOptions options{.at_a_time = 2, .progress = {}, .stop = [&] { return known.size() == 2; }};
  ForkedEvaluator evaluator(simulator, &known, options);
  EXPECT_THROW(evaluator.evaluate(named({"a", "hangs", "b", "c"})), Stopped);
  EXPECT_TRUE(known.find("a") && known.find("b"));
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1);  // no child is left
  EXPECT_EQ(errno, ECHILD);
}

TEST_F(ForkedEvaluatorTest, WhatAChildHasReadTheNextOnesKnow) {
  ForkedEvaluator(simulator, nullptr, {.at_a_time = 1}).evaluate(named({"a", "b"}));
  EXPECT_THAT(simulator.remembered, ElementsAre("a", "b"));
  simulator.remembered = {"a"};  // what a child is born with
  simulator.told = 0;
  ForkedEvaluator(simulator, nullptr).evaluate(named({"a"}));
  EXPECT_EQ(simulator.told, 0);
}

TEST_F(ForkedEvaluatorTest, ProgressCountsEveryRequest) {
  std::vector<std::size_t> done;
  const EvaluatorOptions options{.at_a_time = 1, .progress = [&](const RunsProgress& p) {
                                   EXPECT_EQ(p.total, 4);
                                   done.push_back(p.done);
                                 }};
  ForkedEvaluator(simulator, nullptr, options).evaluate(named({"a", "broken", "a", "b"}));
  EXPECT_THAT(done, ElementsAre(0, 1, 2, 3, 4));
}

}  // namespace servecast::forked_evaluator_test
