#include <gtest/gtest.h>

#include "models/base/rng.h"
#include "sim/plan/search/search.h"
#include "tests/unit/plan/made_up_study.h"

// "All verdicts together are wrong with a chance of at most 5 %": studies whose truth is known, again and again.
namespace servecast::coverage_test {

constexpr int repetitions = 200;
constexpr double error_fraction = 0.05;

/// In what share of all draws a number of replicas keeps the promise, near the share that is asked for (0.8) where it
/// is hard to tell.
constexpr double truth[]{0.3, 0.7, 0.78, 0.82, 0.9, 1};

bool keeps(int repetition, const RunRequest& run) {
  const auto replicas = static_cast<std::uint64_t>(number(run, "pools[0].replicas"));
  const auto draw = static_cast<std::uint64_t>(run.calibration_draw.value_or(0));
  Rng rng(static_cast<std::uint64_t>(repetition) * 1'000'003 + draw * 101 + replicas, "truth");
  return rng.uniform() < truth[replicas - 1];
}

bool wrong(const SearchResult& found) {
  for (std::size_t i = 0; i < found.designs.size(); ++i) {
    const Verdict verdict = found.designs[i].verdict;
    const bool good = truth[i] >= 0.8;
    if (good && verdict == Verdict::breaks) return true;
    if (!good && (verdict == Verdict::keeps || verdict == Verdict::chosen)) return true;
  }
  return false;
}

/// Of 200 studies with a chance of 5 % each, more than 20 are wrong once in a thousand times. And the verdicts are
/// not right because there are none: nearly all studies have an answer.
TEST(Coverage, VerdictsAreWrongNoOftenerThanTheySay) {
  const StudyFile file(
      "objectives: [{metric: ttft_s, percentile: 99, at_most: 1}]\n"
      "promise: {draws_fraction: 0.8, error_fraction: 0.05}\n"
      "space: [{name: replicas, path: 'pools[0].replicas', from: 1, to: 6}]\n",
      "20");
  const Study study = file.load();
  Sizer sizer(study);
  int wrong_studies = 0, answered = 0;
  for (int repetition = 0; repetition < repetitions; ++repetition) {
    Formula evaluator([&](const RunRequest& run) { return keeps(repetition, run) ? 0.5 : 2; });
    const SearchResult found = search(study, sizer, evaluator);
    wrong_studies += wrong(found) ? 1 : 0;
    answered += found.best.empty() ? 0 : 1;
  }
  EXPECT_LE(wrong_studies, 20) << "of " << repetitions << ", asked: " << error_fraction * repetitions;
  EXPECT_GE(answered, repetitions * 9 / 10);
}

}  // namespace servecast::coverage_test
