#include "sim/plan/answer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/plan/made_up_study.h"

namespace servecast {
namespace {

using testing::ElementsAre;

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
  const StudyFile file(study_text);
  const Study study = file.load();
  Sizer sizer(study);
  Formula evaluator(by_inputs);
  const SearchResult found = search(study, sizer, evaluator);
  Runs runs(sizer, evaluator);
  const PlanReport report =
      plan_report(study, sizer, runs, found, [](const SizedDesign&) { return std::vector<InputChange>{}; });
  ASSERT_EQ(report.answers.size(), 1u);
  std::vector<Row> rows;
  for (const Sensitivity& s : report.answers[0].sensitivities)
    rows.push_back({s.input, s.factor, std::round(1000 * *s.ttft_p99_s), *s.usd_per_hour});
  // $2.50 an hour for the H100; 500 ms, and 10 % of each input's weight more or less.
  EXPECT_THAT(rows, ElementsAre(Row{"cache hits", 0.9, 540, 2.5}, Row{"output length", 0.9, 480, 2.5},
                                Row{"output length", 1.1, 520, 2.5}, Row{"price", 0.9, 500, 2.25},
                                Row{"price", 1.1, 500, 2.75}, Row{"prompt length", 0.9, 490, 2.5},
                                Row{"prompt length", 1.1, 510, 2.5}, Row{"rate", 0.9, 470, 2.5},
                                Row{"rate", 1.1, 530, 2.5}));
}

/// Without anything to find in a cache there is nothing to lose.
TEST(Answer, SaysNothingOfCacheHitsWhereThereAreNone) {
  std::string text = study_text;
  const StudyFile file(text.substr(text.find('\n') + 1));
  const Study study = file.load();
  Sizer sizer(study);
  Formula evaluator(by_inputs);
  const SearchResult found = search(study, sizer, evaluator);
  Runs runs(sizer, evaluator);
  const PlanReport report =
      plan_report(study, sizer, runs, found, [](const SizedDesign&) { return std::vector<InputChange>{}; });
  for (const Sensitivity& s : report.answers.at(0).sensitivities) EXPECT_NE(s.input, "cache hits");
}

}  // namespace
}  // namespace servecast
