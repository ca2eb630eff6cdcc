#pragma once
#include <cstdint>
#include <vector>

namespace servecast {

struct Promise;

/// Draws of the calibration's error are as wide as forecasts were off on measured servers (`errors` of engine files,
/// docs/accuracy.md), but on GPUs whose kernels were not measured (`derived`). What they lack there is drawn beside
/// them: in this draw the promised figure comes to so many times what the run says. The same for all designs, so that
/// they meet the same luck. 1: nothing is lacking.
double measured_factor(const Promise& promise, bool derived, std::int64_t draw);

/// The least of these: nothing that is out of reach by more than it comes into reach by them.
double least_measured_factor(const std::vector<Promise>& promises, bool derived, std::int64_t draw);

/// How much wider than the calibration's the error bars of a GPU are whose kernels are derived.
double derived_widening();

/// What forecasts of measured servers are off by nine times in ten, with derived kernels and with measured ones.
struct OffBy {
  double derived = 0;
  double measured = 0;
};
OffBy off_by();

/// How much wider error bars would be if the share of the step time that lies outside the fitted range were off as
/// forecasts with derived kernels are, and the rest as all others: independent errors add in squares. Draws do not
/// have it: among the measured servers are some with such steps.
double extrapolated_widening(double share);

}  // namespace servecast
