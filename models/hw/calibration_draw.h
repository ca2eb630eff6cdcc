#pragma once
#include <memory>

#include "models/base/fields.h"
#include "models/base/rng.h"
#include "models/hw/step_latency.h"

namespace servecast {

/// How far an engine's forecasts may be off, as standard deviations of logarithms: what was left on servers that no
/// constant was fitted on.
struct CalibrationError {
  double memory_fraction = 0;
  double compute_fraction = 0;
  double path_fraction = 0;

  CalibrationError operator*(double spread) const {
    return {memory_fraction * spread, compute_fraction * spread, path_fraction * spread};
  }
  void fields(Fields& f) {
    f.field("memory_fraction", memory_fraction, "of the part of steps that memory traffic and launches bound",
            {.max = 1});
    f.field("compute_fraction", compute_fraction, "of the part of steps that arithmetic bounds", {.max = 1});
    f.field("path_fraction", path_fraction, "of a request's path outside the engine", {.max = 1});
  }
};

/// One way in which the calibration may be off: a factor for each class of work, the same in every step of a run.
struct CalibrationDraw {
  double memory_factor = 1;
  double compute_factor = 1;
  double path_factor = 1;
};

/// Log-normal, median 1, each class by itself.
CalibrationDraw draw_calibration(const CalibrationError& error, Rng& rng);

/// `exact` with its times multiplied by the draw's factors: the part that arithmetic bounds by one, the rest by the
/// other.
std::unique_ptr<StepLatency> drawn(std::unique_ptr<StepLatency> exact, const CalibrationDraw& draw);

}  // namespace servecast
