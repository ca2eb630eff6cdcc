#include "sim/plan/answer/answer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/plan/report/plan_report.h"
#include "sim/plan/runs/evaluator.h"
#include "sim/plan/search/runs.h"
#include "sim/plan/study/study.h"
#include "tests/unit/plan/made_up_study.h"

namespace servecast::answer_test {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

constexpr const char* study_text =
    "set: ['workload.generate.system_prompts={count: 1, tokens: 64}']\n"
    "objectives: [{metric: ttft_s, percentile: 99, at_most: 1}]\n"
    "promise: {certainty: best_estimate}\n"
    "space: [{name: replicas, path: 'pools[0].replicas', from: 1, to: 2}]\n";

/// Each input with a weight of its own, so that none can stand for another.
double by_inputs(const RunRequest& run) {
  const auto at = [&](const char* key) { return number(run, std::string("workload.generate.") + key); };
  const std::string cold = setting(run, "workload.generate.cold_fraction");
  return 0.5 + 0.1 * (at("prompt_scale") - 1) + 0.2 * (at("output_scale") - 1) + 0.3 * (at("rate_scale") - 1) +
         (cold.empty() ? 0 : 0.4 * std::stod(cold));
}

PlanReport report_of(const StudyFile& file, const Formula::Ttft& ttft_s) {
  const Study study = file.load();
  Sizer sizer(study);
  Formula evaluator(ttft_s);
  const SearchResult found = search(study, sizer, evaluator);
  Runs runs(sizer, evaluator);
  return plan_report(study, sizer, runs, found, [](const SizedDesign&) { return std::vector<InputChange>{}; });
}

struct Row {
  std::string input;
  double factor;
  double ttft_ms;  // rounded
  double usd_per_hour;
  bool operator==(const Row&) const = default;
};

void PrintTo(const Row& row, std::ostream* out) {
  *out << row.input << " x " << row.factor << ": " << row.ttft_ms << " ms, $" << row.usd_per_hour;
}

TEST(Answer, TellsWhatEachInputChanges) {
  const PlanReport report = report_of(StudyFile(study_text), by_inputs);
  ASSERT_EQ(report.answers.size(), 1u);
  std::vector<Row> rows;
  for (const Sensitivity& s : report.answers[0].sensitivities)
    rows.push_back({s.input, s.factor, std::round(1000 * *s.ttft_p99_s), *s.usd_per_hour});
  // $2.50 an hour for the H100; 500 ms, and 10 % of each input's weight more or less. The blocks of prompts are
  // known, so their lengths stay what they are.
  EXPECT_THAT(rows,
              ElementsAre(Row{"cache hits", 0.9, 540, 2.5}, Row{"output length", 0.9, 480, 2.5},
                          Row{"output length", 1.1, 520, 2.5}, Row{"price", 0.9, 500, 2.25},
                          Row{"price", 1.1, 500, 2.75}, Row{"rate", 0.9, 470, 2.5}, Row{"rate", 1.1, 530, 2.5}));
}

std::vector<std::string> inputs_of(const PlanReport& report) {
  std::vector<std::string> all;
  for (const Sensitivity& s : report.answers.at(0).sensitivities)
    if (all.empty() || all.back() != s.input) all.push_back(s.input);
  return all;
}

/// Without anything to find in a cache there is nothing to lose, and prompts may have any length.
TEST(Answer, LeavesOutInputsThatChangeNothing) {
  std::string text = study_text;
  const std::string plain = text.substr(text.find('\n') + 1);
  EXPECT_THAT(inputs_of(report_of(StudyFile(plain), by_inputs)),
              ElementsAre("output length", "price", "prompt length", "rate"));
  const std::string sessions = "set: ['workload.generate.sessions={turns: {fixed: 3}, think_s: {fixed: 5}}']\n";
  EXPECT_THAT(inputs_of(report_of(StudyFile(sessions + plain), by_inputs)), Not(Contains("prompt length")));
}

/// 10 an hour for the API where the rate is at its peak; it is half as high on average, and so is the bill.
TEST(Answer, BillsArePartOfTheCost) {
  const StudyFile file(std::string("demand: {peak_factor: 2}\n") + study_text);
  const Study study = file.load();
  Sizer sizer(study);
  Formula evaluator([](const RunRequest&) { return 0.5; }, [](const RunRequest&) { return 10; });
  const SearchResult found = search(study, sizer, evaluator);
  Runs runs(sizer, evaluator);
  const PlanReport report =
      plan_report(study, sizer, runs, found, [](const SizedDesign&) { return std::vector<InputChange>{}; });
  const PlanAnswer& a = report.answers.at(0);
  EXPECT_DOUBLE_EQ(a.usd_per_hour, 7.5);
  EXPECT_DOUBLE_EQ(a.usd_per_month, 730 * 7.5);
  EXPECT_DOUBLE_EQ(a.outside_usd_per_hour.value(), 5);
  EXPECT_DOUBLE_EQ(a.usd_per_request.value(), 12.5 / 3600);  // a request a second
  EXPECT_DOUBLE_EQ(a.mean_usd_per_request.value(), (2 * 2.5 + 10) / 3600);
  EXPECT_DOUBLE_EQ(a.terms.at(0).usd_per_hour, 7.5);
  EXPECT_DOUBLE_EQ(report.designs.at(0).usd_per_hour.value(), 7.5);
  for (const Sensitivity& s : a.sensitivities)
    if (s.input == "price") {
      EXPECT_DOUBLE_EQ(s.usd_per_hour.value(), 7.5 * s.factor);
    }
}

/// A share of requests that leaves nothing to wish for, and a promise that no traffic breaks.
TEST(Answer, LeavesNoBlanks) {
  PlanReport report = report_of(StudyFile(study_text), [](const RunRequest&) { return 0.5; });
  const PlanAnswer& a = report.answers.at(0);
  EXPECT_EQ(a.binding, "");
  const std::string text = plan_text(report, 100);
  EXPECT_THAT(text, HasSubstr("traffic may grow 64.00 times at least; no more was tried"));
  EXPECT_THAT(text, Not(HasSubstr("then breaks")));
}

std::vector<std::string> figures_of(const PlanReport& report) {
  std::vector<std::string> all;
  for (const PlanDesign& d : report.designs) all.push_back(d.figures_of);
  return all;
}

double by_replicas(const RunRequest& run) { return 2.9 / number(run, "pools[0].replicas"); }

/// Of 1,000 requests the first eighth is tried first: all that is known of designs that break their promise in it.
TEST(Answer, FiguresOfADesignThatLostEarlyAreThoseOfTheBeginning) {
  const StudyFile file(
      "objectives: [{metric: ttft_s, percentile: 99, at_most: 1}]\n"
      "promise: {certainty: best_estimate}\n"
      "space: [{name: replicas, path: 'pools[0].replicas', from: 1, to: 5}]\n",
      "1000");
  const PlanReport report = report_of(file, by_replicas);
  EXPECT_THAT(figures_of(report), ElementsAre("beginning", "beginning", "best_estimate", "best_estimate", ""));
  EXPECT_EQ(report.designs[0].ttft_p99_s, 2.9);
  EXPECT_EQ(report.designs[1].ttft_p99_s, 1.45);
  EXPECT_EQ(report.designs[4].ttft_p99_s, std::nullopt);
}

TEST(Answer, FiguresOfADesignThatLostByDrawsAreThoseOfADraw) {
  const StudyFile file(
      "objectives: [{metric: ttft_s, percentile: 99, at_most: 1}]\n"
      "space: [{name: replicas, path: 'pools[0].replicas', from: 1, to: 5}]\n");
  const PlanReport report = report_of(file, by_replicas);
  EXPECT_THAT(figures_of(report), ElementsAre("draw", "draw", "best_estimate", "draw", ""));
  EXPECT_EQ(report.designs[0].ttft_p99_s, 2.9);
}

/// What plan.sqlite holds of a design is what was written.
TEST(Answer, TablesKeepTheFiguresAndWhoseTheyAre) {
  const StudyFile file(
      "objectives: [{metric: ttft_s, percentile: 99, at_most: 1}]\n"
      "promise: {certainty: best_estimate}\n"
      "space: [{name: replicas, path: 'pools[0].replicas', from: 1, to: 5}]\n",
      "1000");
  const PlanReport report = report_of(file, by_replicas);
  const ScratchFolder folder;
  write_plan_tables(folder / "plan.sqlite", report);
  const PlanReport read = read_plan_tables(folder / "plan.sqlite");
  ASSERT_EQ(read.designs.size(), report.designs.size());
  EXPECT_EQ(figures_of(read), figures_of(report));
  for (std::size_t i = 0; i < read.designs.size(); ++i) {
    EXPECT_EQ(read.designs[i].ttft_p99_s, report.designs[i].ttft_p99_s);
    EXPECT_EQ(read.designs[i].tokens_per_s_per_gpu, report.designs[i].tokens_per_s_per_gpu);
    EXPECT_EQ(read.designs[i].kept_fraction_high, report.designs[i].kept_fraction_high);
  }
}

}  // namespace servecast::answer_test
