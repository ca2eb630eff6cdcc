#pragma once
#include <span>

#include "models/hw/profile/law.h"

namespace servecast {

struct LawRow {
  KernelWork work{};
  double seconds = 0;
};

/// The law's constants that fit the rows best: damped Gauss-Newton in the logs of the constants on the log of
/// predicted over measured time, with the loss sqrt(1 + (r / 0.1)^2) - 1, so that a row far off pulls no harder than
/// one somewhat off. Constants stay within bounds; those that the rows cannot tell are not fitted: rates of work that
/// no row has, the sharpness where there is only one kind of work, the ramp where no row has one.
/// Pure, and deterministic. Requires rows with seconds above 0.
KernelLaw fit_law(std::span<const LawRow> rows, double most_launch_s = 1e-3);

}  // namespace servecast
