#pragma once
#include <memory>

#include "models/base/rng.h"
#include "models/hw/engine/calibration_error.h"
#include "models/hw/latency/step_latency.h"
#include "models/hw/profile/kernel_profile.h"

namespace servecast {

/// One way in which the calibration may be off, the same for all steps and requests of a run.
struct CalibrationDraw {
  double steps_factor = 1;
  double first_token_factor = 1;
  double stalls_fraction = 0;

  bool moves_first_tokens() const { return first_token_factor != 1 || stalls_fraction > 0; }
};

/// Each part by itself. `spread`: how much wider than the ranges say, in logarithms; 0 draws nothing. Above 1 it is
/// that of steps alone: large batches make these uncertain, and queues that follow from them come with them.
CalibrationDraw draw_calibration(const CalibrationError& error, double spread, Rng& rng);

/// What the time until a request's first token is multiplied by in this draw: the same stall for the same request
/// whatever else happens in the run.
double first_token_factor(const CalibrationDraw& draw, std::uint64_t seed, std::uint64_t request);

/// `exact` with the draw's factor on its times.
std::unique_ptr<StepLatency> drawn(std::unique_ptr<StepLatency> exact, const CalibrationDraw& draw);

/// A profile as it may really be: every operator off by its spread on held-out shapes, log-normal. One draw per
/// operator, the same for all its shapes and data types: a step repeats the shapes of one layer, so errors do not
/// average out over its layers, only over the four products of one.
KernelProfile drawn(KernelProfile profile, double spread, std::uint64_t draw);

/// No operator of that drawn profile takes less than this share of its best estimate's time; at most 1.
double fastest_fraction(const KernelProfile& profile, double spread, std::uint64_t draw);

}  // namespace servecast
