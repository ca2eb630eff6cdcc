#include "models/policy/experts/buddy_accuracy.h"

#include <algorithm>
#include <array>

namespace servecast {
namespace {

struct Published {
  double cache_fraction;
  double accuracy;
};
constexpr double untouched = 0.735;
// At 0.75 only three stand-ins per token were published: four are taken to cost as much there.
constexpr std::array<Published, 4> three{{{0.375, 0.645}, {0.5, 0.635}, {0.75, 0.695}, {1, untouched}}};
constexpr std::array<Published, 4> four{{{0.375, 0.51}, {0.5, 0.55}, {0.75, 0.695}, {1, untouched}}};
constexpr std::array<Published, 4> at_random{{{0.375, 0.16}, {0.5, 0.23}, {0.75, 0.55}, {1, untouched}}};

double accuracy(std::span<const Published> points, double at) {
  if (at <= points.front().cache_fraction) return points.front().accuracy;
  for (std::size_t i = 1; i < points.size(); ++i) {
    if (at > points[i].cache_fraction) continue;
    const Published& low = points[i - 1];
    const double part = (at - low.cache_fraction) / (points[i].cache_fraction - low.cache_fraction);
    return low.accuracy + part * (points[i].accuracy - low.accuracy);
  }
  return untouched;
}

QualityFigure lost(std::span<const Published> points, double cache_fraction) {
  return {.lost_fraction = untouched - accuracy(points, cache_fraction),
          .extrapolated = cache_fraction < points.front().cache_fraction,
          .source = "BuddyMoE (arXiv 2511.10054): DeepSeek-V2-Lite, mean of ARC-Easy and ARC-Challenge"};
}

}  // namespace

QualityFigure buddy_accuracy_lost(double cache_fraction, std::int64_t per_token) {
  QualityFigure figure = lost(per_token <= 3 ? std::span<const Published>(three) : four, cache_fraction);
  figure.extrapolated = figure.extrapolated || per_token < 3 || per_token > 4;
  return figure;
}

QualityFigure random_accuracy_lost(double cache_fraction) { return lost(at_random, cache_fraction); }

}  // namespace servecast
