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

AnswerLoss pruned_loss(const std::string& llm, double kept_fraction) {
  struct Point {
    double pruned_fraction;
    double points;
  };
  constexpr Point quarter{0.25, 2.9}, half{0.5, 7.1};
  const double pruned = 1 - kept_fraction;
  if (pruned <= 0) return {.source = "no expert was pruned"};
  const double slope = (half.points - quarter.points) / (half.pruned_fraction - quarter.pruned_fraction);
  const double points = pruned <= quarter.pruned_fraction
                            ? quarter.points * pruned / quarter.pruned_fraction
                            : quarter.points + slope * (pruned - quarter.pruned_fraction);
  return {.points = points,
          .least_points = points,
          .most_points = points,
          .extrapolated = pruned > half.pruned_fraction || llm != "mixtral-8x7b",
          .source = "experts pruned: Mixtral 8x7B, mean of eight zero-shot tasks (arXiv 2402.14800)"};
}

AnswerLoss untuned_loss(double gained_points, double untuned_fraction) {
  if (untuned_fraction <= 0) return {.source = "no untuned expert stood in"};
  return {.points = gained_points * untuned_fraction,
          .most_points = gained_points,
          .extrapolated = untuned_fraction < 1,
          .source = "untuned experts: the gain that the scenario states, by their share of the gates"};
}

}  // namespace servecast
