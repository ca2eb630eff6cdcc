#include "models/hw/additions/sm_share.h"

#include <algorithm>
#include <cassert>

namespace servecast {
namespace {

double gpu_s(const StageTime& time) { return time.seconds - time.host_s; }
double memory_s(const StageTime& time) { return gpu_s(time) - time.compute_s; }

/// Share of the GPU's memory bandwidth that the step uses while its kernels run.
double bandwidth(const StageTime& full, const StageTime& shared) { return memory_s(full) / gpu_s(shared); }

}  // namespace

double memory_stretch(double share) {
  constexpr double per_share = 0.6284;
  constexpr double constant = 0.3818;
  return (per_share / share + constant) / (per_share + constant);
}

StageTime at_share(StageTime full, double share) {
  assert(share > 0 && share <= 1);
  const double compute_s = full.compute_s / share;
  return {.seconds = compute_s + memory_s(full) * memory_stretch(share) + full.host_s,
          .compute_s = compute_s,
          .host_s = full.host_s,
          .extrapolated = full.extrapolated};
}

double share_beside(const SharedStep& mine, const SharedStep& other) {
  const double both = std::max(0.0, mine.share + other.share - 1);
  return (mine.share - both) + both * gpu_s(mine.full) / (gpu_s(mine.full) + gpu_s(other.full));
}

StageTime beside(const SharedStep& mine, const SharedStep& other) {
  const StageTime alone = at_share(mine.full, mine.share);
  StageTime time = at_share(mine.full, share_beside(mine, other));
  const StageTime other_time = at_share(other.full, share_beside(other, mine));
  const double wanted = bandwidth(mine.full, time) + bandwidth(other.full, other_time);
  if (wanted > 1) time.seconds += (wanted - 1) * memory_s(time);
  const double other_there = gpu_s(other_time) / other_time.seconds;
  time.seconds = time.host_s + 1 / ((1 - other_there) / gpu_s(alone) + other_there / gpu_s(time));
  return time;
}

}  // namespace servecast
