#include "models/hw/engine/calibration_error.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "models/base/normal_quantile.h"
#include "models/hw/profile/calibration_draw.h"

namespace servecast::calibration_error_test {

constexpr ErrorRange late{.p05 = 0.9, .p50 = 1.2, .p95 = 3};

TEST(ErrorRange, QuantilesAreThoseStated) {
  EXPECT_NEAR(late.factor(-normal_p95, 1), 0.9, 1e-12);
  EXPECT_NEAR(late.factor(0, 1), 1.2, 1e-12);
  EXPECT_NEAR(late.factor(normal_p95, 1), 3, 1e-12);
}

// Three times as wide: 0.9^3, 1.2^3, 3^3.
TEST(ErrorRange, SpreadMultipliesLogarithms) {
  EXPECT_NEAR(late.factor(-normal_p95, 3), 0.729, 1e-12);
  EXPECT_NEAR(late.factor(0, 3), 1.728, 1e-12);
  EXPECT_NEAR(late.factor(normal_p95, 3), 27, 1e-11);
  EXPECT_EQ(late.factor(2, 0), 1);
}

// Of 4,000 draws 5 % are below 0.9 and above 3; 200 of each, 14 off in a standard deviation.
TEST(CalibrationDraw, HasTheUnequalSidesThatWereAsked) {
  Rng rng(1, "calibration");
  int below = 0;
  int above = 0;
  for (int i = 0; i < 4000; ++i) {
    const CalibrationDraw draw = draw_calibration({.first_token = late}, 1, rng);
    EXPECT_EQ(draw.steps_factor, 1);
    below += draw.first_token_factor < 0.9 ? 1 : 0;
    above += draw.first_token_factor > 3 ? 1 : 0;
  }
  EXPECT_NEAR(below, 200, 4 * 14);
  EXPECT_NEAR(above, 200, 4 * 14);
}

// Exponential with a mean of 0.5: 1.5 in the mean, 1 + 0.5 ln 100 = 3.30 at P99; never below 1.
TEST(CalibrationDraw, StallsAreOneSidedAndTheRequestsOwn) {
  const CalibrationDraw draw{.stalls_fraction = 0.5};
  constexpr std::size_t requests = 20000;
  std::vector<double> factors;
  double sum = 0;
  for (std::size_t id = 0; id < requests; ++id) {
    factors.push_back(first_token_factor(draw, 3, id));
    sum += factors.back();
  }
  EXPECT_NEAR(sum / requests, 1.5, 4 * 0.5 / 141);
  EXPECT_EQ(first_token_factor(draw, 3, 7), factors[7]);
  EXPECT_NE(first_token_factor(draw, 4, 7), factors[7]);
  std::ranges::sort(factors);
  EXPECT_GE(factors.front(), 1);
  EXPECT_NEAR(factors[requests * 99 / 100], 3.30, 0.2);
}

TEST(CalibrationDraw, TheBestEstimateMovesNothing) {
  EXPECT_FALSE(CalibrationDraw().moves_first_tokens());
  EXPECT_EQ(first_token_factor({}, 1, 1), 1);
}

/// A second for decodes, a tenth of it arithmetic, and two for prompts, all arithmetic.
class WholeSeconds final : public StepLatency {
 public:
  std::int64_t stages() const override { return 1; }
  StageTime stage(const StepWork& work, std::int64_t) const override {
    StageTime time;
    if (work.decode_sequences > 0) time = {.seconds = 1, .compute_s = 0.1};
    if (work.prefill_tokens > 0) time = {.seconds = time.seconds + 2, .compute_s = time.compute_s + 2};
    return time;
  }
};

TEST(CalibrationDraw, ScalesWhatStepsTake) {
  const auto latency = drawn(std::make_unique<WholeSeconds>(), {.steps_factor = 3});
  const StageTime both = latency->stage({.decode_sequences = 1, .prefill_tokens = 10}, 0);
  EXPECT_DOUBLE_EQ(both.seconds, 9);
  EXPECT_DOUBLE_EQ(both.compute_s, 6.3);
}

TEST(CalibrationError, TheFirstThatIsOfThePoolCounts) {
  const std::vector<CalibrationError> errors{{.gpus = {"b"}, .models = "experts", .source = "experts on b"},
                                             {.layout = "apart", .source = "apart"},
                                             {.load = "open", .source = "open"},
                                             {.source = "others"}};
  const auto source = [&](const ServedPool& pool) { return error_of(errors, pool)->source; };
  EXPECT_EQ(source({.gpu = "b", .experts = true, .layout = "apart"}), "experts on b");
  EXPECT_EQ(source({.gpu = "b", .layout = "apart"}), "apart");
  EXPECT_EQ(source({.gpu = "b", .load = "open"}), "open");
  EXPECT_EQ(source({.gpu = "b"}), "others");
  EXPECT_EQ(error_of({}, {.gpu = "b"}), nullptr);
}

}  // namespace servecast::calibration_error_test
