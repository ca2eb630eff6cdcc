#include "models/hw/sm_share.h"

#include <algorithm>
#include <cassert>

namespace servecast {
namespace {

double memory_s(const StageTime& time) { return time.seconds - time.compute_s; }

/// Share of the GPU's memory bandwidth that the step uses.
double bandwidth(const StageTime& full, const StageTime& shared) { return memory_s(full) / shared.seconds; }

}  // namespace

double memory_stretch(double share) {
  constexpr double per_share = 0.6284;
  constexpr double constant = 0.3818;
  return (per_share / share + constant) / (per_share + constant);
}

StageTime at_share(StageTime full, double share) {
  assert(share > 0 && share <= 1);
  const double compute_s = full.compute_s / share;
  return {.seconds = compute_s + memory_s(full) * memory_stretch(share),
          .compute_s = compute_s,
          .extrapolated = full.extrapolated};
}

double share_beside(const SharedStep& mine, const SharedStep& other) {
  const double both = std::max(0.0, mine.share + other.share - 1);
  return (mine.share - both) + both * mine.full.seconds / (mine.full.seconds + other.full.seconds);
}

StageTime beside(const SharedStep& mine, const SharedStep& other) {
  StageTime time = at_share(mine.full, share_beside(mine, other));
  const StageTime other_time = at_share(other.full, share_beside(other, mine));
  const double wanted = bandwidth(mine.full, time) + bandwidth(other.full, other_time);
  if (wanted > 1) time.seconds += (wanted - 1) * memory_s(time);
  return time;
}

}  // namespace servecast
