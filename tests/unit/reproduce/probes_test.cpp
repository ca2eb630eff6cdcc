#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "models/base/error.h"
#include "sim/plan/runs/child_process.h"
#include "sim/plan/runs/evaluator.h"
#include "sim/reproduce/probes/forked.h"
#include "sim/reproduce/probes/highest_rate.h"
#include "sim/reproduce/probes/public_traces.h"

namespace servecast::probes_test {

using testing::ElementsAre;
using testing::HasSubstr;

ProbePtr known(std::vector<double> values) {
  return std::make_shared<const Probe>(
      Probe{.name = "known", .measure = [values](const PublicTraces&) { return values; }});
}

TEST(InChildren, AnswersComeInTheOrderOfTheWork) {
  std::vector<ForkedWork> work;
  for (int i = 0; i < 20; ++i) work.push_back([i] { return std::vector<double>{1.0 * i, 10.0 * i}; });
  std::size_t done = 0;
  const auto answers = in_children(work, {.at_a_time = 3, .progress = [&](std::size_t now) { done = now; }});
  ASSERT_EQ(answers.size(), 20u);
  for (std::size_t i = 0; i < 20; ++i)
    EXPECT_THAT(answers[i].values, ElementsAre(static_cast<double>(i), 10.0 * static_cast<double>(i)));
  EXPECT_EQ(done, 20u);
}

TEST(InChildren, WhatOneRefusesAndHowOneDiesIsSaid) {
  const std::vector<ForkedWork> work{[]() -> std::vector<double> { throw UserError("no such rate"); },
                                     []() -> std::vector<double> { std::abort(); },
                                     [] { return std::vector<double>{1}; }};
  const auto answers = in_children(work, {.at_a_time = 2});
  EXPECT_THAT(answers[0].refusal, HasSubstr("no such rate"));
  EXPECT_THAT(answers[1].refusal, HasSubstr("a fault of the program"));
  EXPECT_THAT(answers[2].values, ElementsAre(1));
  EXPECT_THROW(in_own_process(work[0]), UserError);
}

TEST(InChildren, StopEndsThoseThatRun) {
  const std::vector<ForkedWork> work{[] {
    for (;;) continue;
    return std::vector<double>{};
  }};
  int asked = 0;
  EXPECT_THROW(in_children(work, {.stop = [&] { return ++asked > 2; }}), Stopped);
}

TEST(Quantity, IsArithmeticOverProbesEachNamedOnce) {
  const ProbePtr a = known({6, 4});
  const ProbePtr b = known({2});
  const Quantity q = larger(Quantity(a) / b - 1, Quantity(a, 1) + Quantity(b) * 3);  // 2 and 10
  EXPECT_THAT(q.probes(), ElementsAre(a, b));
  EXPECT_EQ(q.value({{a, {6, 4}}, {b, {2}}}), 10);
}

TEST(HighestRate, IsFoundToItsPrecision) {
  const double found =
      highest_rate({.low = 1, .high = 100, .precision = 0.01}, [](double rate) { return rate <= 7; });
  EXPECT_LE(found, 7);
  EXPECT_GT(found, 7 / 1.01);
}

TEST(HighestRate, EndsThatDoNotHoldWhatTheyPromiseAreRefused) {
  EXPECT_THROW(highest_rate({.low = 8, .high = 100}, [](double rate) { return rate <= 7; }), UserError);
  EXPECT_THROW(highest_rate({.low = 1, .high = 6}, [](double rate) { return rate <= 7; }), UserError);
}

TEST(PublicTraces, LieInTheFolderOrOneBelowAsTheyAreOrGzipped) {
  const ScratchFolder folder;
  std::filesystem::create_directory(folder / "mooncake");
  std::ofstream(folder / "mooncake/trace.jsonl.gz") << "x";
  std::ofstream(folder / "other.csv") << "x";
  const PublicTraces traces(folder.path().string());
  EXPECT_EQ(traces.find("trace.jsonl"), (folder / "mooncake/trace.jsonl.gz").string());
  EXPECT_EQ(traces.find("other.csv"), (folder / "other.csv").string());
  EXPECT_EQ(traces.find("none.csv"), "");
  EXPECT_EQ(PublicTraces("").find("other.csv"), "");
}

}  // namespace servecast::probes_test
