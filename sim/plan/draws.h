#pragma once
#include <cstdint>
#include <vector>

#include "sim/plan/study_spec.h"

namespace servecast {

// A design keeps its promise where it does so in a share `draws_fraction` of all draws of calibration error and seed.
// That share is never known, only how many of some draws kept it. Verdicts are exact binomial tests (Clopper and
// Pearson 1934); designs are looked at several times, after more draws each time, and there are many designs: each
// look at each design may be wrong with error_fraction / (designs x looks), so that all verdicts together are wrong
// with at most error_fraction (Bonferroni).

enum class DrawVerdict : std::uint8_t { open, keeps, breaks };

struct DrawPlan {
  std::vector<std::int64_t> looks{};  // numbers of draws, rising
  double draws_fraction = 0;
  double error_per_look = 0;
};

/// Looks: where every draw broken is enough to rule out; five times that; where every draw kept is enough; twice that.
DrawPlan plan_draws(const PromiseSpec& promise, std::int64_t designs);

/// How many draws a look is about, and how far they are.
struct DrawCount {
  std::int64_t look = 0;   // draws in all
  std::int64_t draws = 0;  // of these, those made
  std::int64_t kept = 0;   // of these, those kept

  std::int64_t kept_at_least() const { return kept; }
  std::int64_t kept_at_most() const { return look - (draws - kept); }
};

/// The verdict of a look, as soon as it is the same whatever becomes of the draws that are left: so stopping there
/// makes no verdict wrong oftener. Open: not known yet, or open after all of them.
DrawVerdict verdict(const DrawPlan& plan, const DrawCount& count);

/// The share of all draws lies in it, but for a chance of `error_fraction`.
struct ShareInterval {
  double low = 0;
  double high = 1;
};
/// Of a look that was ended early it is as wide as draws that were not made may make it.
ShareInterval share_interval(const DrawCount& count, double error_fraction);

}  // namespace servecast
