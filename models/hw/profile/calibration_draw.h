#pragma once
#include <memory>

#include "models/base/fields.h"
#include "models/base/rng.h"
#include "models/hw/latency/step_latency.h"
#include "models/hw/profile/kernel_profile.h"

namespace servecast {

/// How far an engine's forecasts may be off beyond what its kernels' fits say, as standard deviations of logarithms:
/// what was left on servers that no constant was fitted on.
struct CalibrationError {
  double decode_fraction = 0;
  double prompt_fraction = 0;
  double path_fraction = 0;

  CalibrationError operator*(double spread) const {
    return {decode_fraction * spread, prompt_fraction * spread, path_fraction * spread};
  }
  void fields(Fields& f) {
    f.field("decode_fraction", decode_fraction, "of what steps take without the prompts in them", {.max = 1});
    f.field("prompt_fraction", prompt_fraction, "of what prompts add to steps", {.max = 1});
    f.field("path_fraction", path_fraction, "of a request's path outside the engine", {.max = 1});
  }
};

/// One way in which the calibration may be off: a factor for each part, the same in every step of a run.
struct CalibrationDraw {
  double decode_factor = 1;
  double prompt_factor = 1;
  double path_factor = 1;
};

/// Log-normal, median 1, each part by itself.
CalibrationDraw draw_calibration(const CalibrationError& error, Rng& rng);

/// `exact` with the draw's factors on its times: one on what the step takes without its prompts, one on what they
/// add.
std::unique_ptr<StepLatency> drawn(std::unique_ptr<StepLatency> exact, const CalibrationDraw& draw);

/// A profile as it may really be: every operator off by its spread on held-out shapes, log-normal. One draw per
/// operator, the same for all its shapes and data types: a step repeats the shapes of one layer, so errors do not
/// average out over its layers, only over the four products of one.
KernelProfile drawn(KernelProfile profile, double spread, std::uint64_t draw);

/// No operator of that drawn profile takes less than this share of its best estimate's time; at most 1.
double fastest_fraction(const KernelProfile& profile, double spread, std::uint64_t draw);

}  // namespace servecast
