#include "models/policy/experts/accuracy_lost.h"

#include "models/base/stable_math.h"

namespace servecast {
namespace {

constexpr double most_lost = 0.65;
constexpr double scale = 0.21;
constexpr double steepness = 1.4;
constexpr double by_likeness = 0.1;
constexpr double lowest_point = 0.6;
constexpr double highest_point = 1.4;
constexpr double largest_fitted = 0.384;

double lost(double x) {
  return x <= 0 ? 0 : most_lost * (1 - stable::exp(-stable::exp(steepness * stable::log(x / scale))));
}

}  // namespace

AccuracyLost accuracy_lost(const GateShares& shares) {
  const double x = shares.replaced - by_likeness * (shares.replaced - shares.unlike) + shares.left_out;
  if (x <= 0) return {.source = "no expert was replaced or left out"};
  return {.fraction = lost(x),
          .least_fraction = lost(lowest_point * x),
          .most_fraction = lost(highest_point * x),
          .extrapolated = x > largest_fitted || shares.left_out > 0,
          .source = "fitted to BuddyMoE (arXiv 2511.10054): DeepSeek-V2-Lite, mean of ARC-Easy and ARC-Challenge"};
}

}  // namespace servecast
