#include "models/hw/calibration_draw.h"

namespace servecast {
namespace {

class Drawn final : public StepLatency {
 public:
  Drawn(std::unique_ptr<StepLatency> exact, const CalibrationDraw& draw) : exact_(std::move(exact)), draw_(draw) {}

  std::int64_t stages() const override { return exact_->stages(); }
  double chunk_s(std::int64_t tokens, std::int64_t prefix_tokens) const override {
    return exact_->chunk_s(tokens, prefix_tokens);
  }
  StageTime stage(const StepWork& work, std::int64_t stage) const override {
    StageTime time = exact_->stage(work, stage);
    const double rest_s = time.seconds - time.compute_s;
    time.compute_s *= draw_.compute_factor;
    time.seconds = time.compute_s + draw_.memory_factor * rest_s;
    return time;
  }

 private:
  std::unique_ptr<StepLatency> exact_;
  CalibrationDraw draw_;
};

}  // namespace

CalibrationDraw draw_calibration(const CalibrationError& error, Rng& rng) {
  CalibrationDraw draw;
  draw.memory_factor = rng.lognormal(0, error.memory_fraction);
  draw.compute_factor = rng.lognormal(0, error.compute_fraction);
  draw.path_factor = rng.lognormal(0, error.path_fraction);
  return draw;
}

std::unique_ptr<StepLatency> drawn(std::unique_ptr<StepLatency> exact, const CalibrationDraw& draw) {
  return std::make_unique<Drawn>(std::move(exact), draw);
}

}  // namespace servecast
