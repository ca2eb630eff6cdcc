#include "sim/reproduce/reproduce.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <set>

#include "models/base/error.h"
#include "sim/plan/runs/child_process.h"
#include "sim/reproduce/recorded.h"
#include "sim/reproduce/reproduction_text.h"

namespace servecast::reproduce_test {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

ReproducedRow row(std::optional<double> ours, std::optional<FigureRange> asked, const std::string& missed = "") {
  return {
      .row = {.figure = "gain", .unit = as_percent(1), .published = exactly(0.1), .asked = asked, .missed = missed},
      .ours = ours,
      .why_not = "needs a trace"};
}

TEST(PaperVerdict, KnowsNewAndOldMisses) {
  EXPECT_EQ(verdict_of(row(0.2, at_least(0.1))), PaperVerdict::holds);
  EXPECT_EQ(verdict_of(row(0.2, at_most(0.1))), PaperVerdict::new_miss);
  EXPECT_EQ(verdict_of(row(0.2, at_most(0.1), "why")), PaperVerdict::missed);
  EXPECT_EQ(verdict_of(row(0.2, at_least(0.1), "why")), PaperVerdict::missed_no_longer);
  EXPECT_EQ(verdict_of(row(0.2, {})), PaperVerdict::told);
  EXPECT_EQ(verdict_of(row({}, at_least(0.1))), PaperVerdict::not_run);
}

TEST(PaperFigure, ReadsWithItsUnit) {
  EXPECT_EQ(to_text(as_percent(1), 0.1064), "10.6 %");
  EXPECT_EQ(to_text(as_ms(), 0.0424), "42 ms");
  EXPECT_EQ(to_text(FigureUnit{.digits = 0, .unit = " USD"}, 87072), "87,072 USD");
  EXPECT_EQ(to_text(as_times(), between(1.7, 2.7)), "1.7 to 2.7 times");
  EXPECT_EQ(to_text(as_times(), at_least(2)), "at least 2 times");
  EXPECT_EQ(to_text(as_percent(), at_most(0.45)), "at most 45 %");
  EXPECT_EQ(to_text(as_seconds(), exactly(19.65)), "19.65 s");
  EXPECT_EQ(to_text(as_seconds(), std::nullopt), "-");
}

TEST(PaperSystems, HaveNamesFiguresAndBands) {
  std::set<std::string> ids;
  for (const PaperSystem& system : paper_systems()) {
    EXPECT_TRUE(ids.insert(system.id).second) << system.id;
    EXPECT_NE(system.source, "") << system.id;
    std::set<std::string> figures;
    std::size_t asked = 0;
    for (const PaperRow& r : system.rows) {
      EXPECT_TRUE(figures.insert(r.figure).second) << system.id << ", " << r.figure;
      EXPECT_TRUE(r.asked || r.missed.empty()) << system.id << ", " << r.figure << " misses a band that it has not";
      EXPECT_TRUE(r.not_asked.empty() || (r.published && !r.asked)) << system.id << ", " << r.figure;
      asked += r.asked ? 1 : 0;
    }
    EXPECT_GE(asked, 1u) << system.id;
  }
  EXPECT_GE(ids.size(), 22u);
}

TEST(PaperSystems, AnUnknownNameIsToldThoseThatThereAre) {
  EXPECT_EQ(systems_called({"S17"}).front().title, "SGLang router");
  try {
    systems_called({"S99"});
    FAIL();
  } catch (const UserError& error) {
    EXPECT_THAT(error.what(), HasSubstr("'S99'; there are S1, S2"));
  }
}

TEST(Reproduce, AFigureOnATraceThatIsNotHereWaits) {
  const auto found = reproduce(systems_called({"S9"}), {});
  EXPECT_EQ(found.front().rows.front().ours, std::nullopt);
  EXPECT_THAT(reproduction_text(found), HasSubstr("needs conversation_trace.jsonl"));
}

TEST(Reproduce, TwoRunsOfAScenarioGiveARatio) {
  const auto found = reproduce(systems_called({"S20"}), {.at_a_time = 2});
  ASSERT_TRUE(found.front().rows[1].ours);
  EXPECT_NEAR(*found.front().rows[1].ours, 0.45, 0.01);
  EXPECT_THAT(reproduction_markdown(found), HasSubstr("| costs cut by, with 54 % reviewed | - | 45.1 % |"));
  EXPECT_THAT(reproduction_markdown(found), HasSubstr("| 45 % | 97.7 % | - | not asked: contradicts its own prices"));
  EXPECT_THAT(reproduction_json(found), HasSubstr("gateway[2].review_fraction=0.013"));
}

class RecordedFigures : public testing::Test {
 protected:
  ScratchFolder folder_;
  std::string file_ = (folder_ / "figures.json").string();
  const std::vector<PaperSystem> systems_ = systems_called({"S20"});

  std::vector<ReproducedSystem> with(double first, double second) const {
    std::vector<ReproducedSystem> found{{.id = "S20"}};
    PaperRow missed = systems_[0].rows[0];
    missed.asked = around(0.45, 0.05);
    missed.missed = "why";
    found[0].rows = {{.row = missed, .ours = first}, {.row = systems_[0].rows[1], .ours = second}};
    return found;
  }
};

TEST_F(RecordedFigures, ComeBack) {
  record(file_, with(0.977, 0.451));
  EXPECT_NEAR(*recorded(file_, systems_).front().rows[1].ours, 0.451, 1e-9);
  EXPECT_EQ(recorded(file_, systems_called({"S9"})).front().rows[0].ours, std::nullopt);
}

TEST_F(RecordedFigures, ThoseOfOtherSystemsStay) {
  std::ofstream(file_) << R"({"S9": {"random": 10.5, "gone": 1}})";
  record(file_, with(0.977, 0.451));
  EXPECT_EQ(recorded(file_, systems_called({"S9"})).front().rows[0].ours, 10.5);
  std::ifstream in(file_);
  EXPECT_THAT(std::string(std::istreambuf_iterator<char>(in), {}), testing::Not(HasSubstr("gone")));
}

TEST_F(RecordedFigures, WhatReadsOtherwiseOrNewlyMissesIsADifference) {
  record(file_, with(0.977, 0.451));
  EXPECT_THAT(differences(file_, with(0.9770001, 0.451)), IsEmpty());
  EXPECT_THAT(differences(file_, with(0.977, 0.455)),
              ElementsAre("S20, costs cut by, with 54 % reviewed: recorded 45.1 %, now 45.5 %"));
  EXPECT_THAT(differences(file_, with(0.977, 0.6)),
              ElementsAre(HasSubstr("now 60.0 %"), HasSubstr("outside the band, 44 to 46 %")));
  EXPECT_THAT(differences(file_, with(0.47, 0.451)),
              ElementsAre(HasSubstr("now 47.0 %"), HasSubstr("lies in the band")));
}

TEST_F(RecordedFigures, AFileOfSomethingElseIsRefused) {
  std::ofstream(file_) << "[1]";
  EXPECT_THROW(recorded(file_, systems_), UserError);
  EXPECT_THROW(recorded((folder_ / "none.json").string(), systems_), UserError);
}

}  // namespace servecast::reproduce_test
