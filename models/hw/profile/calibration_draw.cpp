#include "models/hw/profile/calibration_draw.h"

#include <algorithm>
#include <cmath>

#include "models/base/stable_math.h"
#include "models/hw/latency/latency_around.h"

namespace servecast {
namespace {

StepWork without_prompts(const StepWork& work) {
  return {.decode_sequences = work.decode_sequences,
          .decode_kv_tokens = work.decode_kv_tokens,
          .emitted_tokens = std::min(work.emitted_tokens, work.decode_sequences)};
}

class Drawn final : public LatencyAround {
 public:
  Drawn(std::unique_ptr<StepLatency> exact, const CalibrationDraw& draw)
      : LatencyAround(std::move(exact)), draw_(draw) {}

  StageTime stage(const StepWork& work, std::int64_t stage) const override {
    StageTime time = model().stage(work, stage);
    StageTime decodes;
    if (work.prefill_tokens == 0)
      decodes = time;
    else if (work.decode_sequences > 0)
      decodes = model().stage(without_prompts(work), stage);
    const auto off = [&](double all, double alone) {
      return draw_.decode_factor * alone + draw_.prompt_factor * (all - alone);
    };
    time.seconds = off(time.seconds, decodes.seconds);
    time.host_s = off(time.host_s, decodes.host_s);
    time.compute_s = off(time.compute_s, decodes.compute_s);
    return time;
  }

 private:
  CalibrationDraw draw_;
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

CalibrationDraw draw_calibration(const CalibrationError& error, Rng& rng) {
  CalibrationDraw draw;
  draw.decode_factor = rng.lognormal(0, error.decode_fraction);
  draw.prompt_factor = rng.lognormal(0, error.prompt_fraction);
  draw.path_factor = rng.lognormal(0, error.path_fraction);
  return draw;
}

std::unique_ptr<StepLatency> drawn(std::unique_ptr<StepLatency> exact, const CalibrationDraw& draw) {
  return std::make_unique<Drawn>(std::move(exact), draw);
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
