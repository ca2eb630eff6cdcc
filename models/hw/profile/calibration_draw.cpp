#include "models/hw/profile/calibration_draw.h"

#include <algorithm>
#include <cmath>

#include "models/base/stable_math.h"
#include "models/hw/latency/latency_around.h"

namespace servecast {
namespace {

class Drawn final : public LatencyAround {
 public:
  Drawn(std::unique_ptr<StepLatency> exact, double factor) : LatencyAround(std::move(exact)), factor_(factor) {}

  StageTime stage(const StepWork& work, std::int64_t stage) const override {
    StageTime time = model().stage(work, stage);
    time.seconds *= factor_;
    time.host_s *= factor_;
    time.compute_s *= factor_;
    return time;
  }

 private:
  double factor_;
};

/// A layer has four products of different shapes, whose errors average out; of other operators it calls one.
double calls_per_layer(const FittedOperator& fitted) { return fitted.op == "gemm" ? 4 : 1; }

double mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return values.empty() ? 0 : sum / static_cast<double>(values.size());
}

/// What all times of an operator are multiplied by.
double factor_of(const FittedOperator& fitted, const std::string& profile, double spread, std::uint64_t draw) {
  Rng rng(draw, "calibration/" + profile + "/" + fitted.op);
  const double of_one = spread * mean(fitted.evidence.spread_fraction);
  return rng.lognormal(0, of_one / std::sqrt(calls_per_layer(fitted)));
}

}  // namespace

CalibrationDraw draw_calibration(const CalibrationError& error, double spread, Rng& rng) {
  CalibrationDraw draw;
  draw.steps_factor = error.steps.factor(rng.normal(), spread);
  const double outside = std::min(1.0, spread);
  draw.first_token_factor = error.first_token.factor(rng.normal(), outside);
  draw.stalls_fraction = outside * error.stalls_fraction;
  return draw;
}

double first_token_factor(const CalibrationDraw& draw, std::uint64_t seed, std::uint64_t request) {
  if (draw.stalls_fraction == 0) return draw.first_token_factor;
  constexpr std::uint64_t golden_ratio = 0x9e3779b97f4a7c15u;  // of 2^64: spreads neighbouring ids over all seeds
  Rng rng(seed ^ (golden_ratio * (request + 1)), "calibration/stalls");
  return draw.first_token_factor * (1 + rng.exponential(draw.stalls_fraction));
}

std::unique_ptr<StepLatency> drawn(std::unique_ptr<StepLatency> exact, const CalibrationDraw& draw) {
  return std::make_unique<Drawn>(std::move(exact), draw.steps_factor);
}

KernelProfile drawn(KernelProfile profile, double spread, std::uint64_t draw) {
  for (FittedOperator& fitted : profile.operators) {
    const double factor = factor_of(fitted, profile.name, spread, draw);
    fitted.law.launch_s *= factor;
    fitted.law.flop_per_s /= factor;
    fitted.law.bytes_per_s /= factor;
  }
  return profile;
}

double fastest_fraction(const KernelProfile& profile, double spread, std::uint64_t draw) {
  double fastest = 1;
  for (const FittedOperator& fitted : profile.operators)
    fastest = std::min(fastest, factor_of(fitted, profile.name, spread, draw));
  return fastest;
}

}  // namespace servecast
