#pragma once
#include <cstdint>
#include <optional>
#include <vector>

namespace servecast {

struct PromiseSpec;

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
  std::int64_t patience = 0;  // draws after which a design that is open is looked at again only if that may tell
};

/// Looks: where every draw broken is enough to rule out; five times that; where every draw kept is enough; two, four
/// and eight times that. The last one is at most_draws where the promise says how many.
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
/// makes no verdict wrong oftener. Open: not known yet, or open after all draws.
DrawVerdict verdict(const DrawPlan& plan, const DrawCount& count);

/// More draws than a user would wait for.
inline constexpr std::int64_t too_many_draws = 100'000;

/// Draws at which a look would say more than "open" if the share that keeps the promise stayed what it is; to about
/// 1 %. None: more than `most`.
std::optional<std::int64_t> draws_that_would_tell(const DrawPlan& plan, const DrawCount& count,
                                                  std::int64_t most = too_many_draws);

/// Whether to go on with a design that is open: always up to plan.patience, then while the last look would tell. That
/// a design is given up makes no verdict wrong: it gets none.
bool worth_more_draws(const DrawPlan& plan, const DrawCount& count);

/// The share of all draws lies in it, but for a chance of `error_fraction`.
struct ShareInterval {
  double low = 0;
  double high = 1;
};
/// Of a look that was ended early it is as wide as draws that were not made may make it.
ShareInterval share_interval(const DrawCount& count, double error_fraction);

}  // namespace servecast
