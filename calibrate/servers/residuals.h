#pragma once
#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

namespace servecast {

inline constexpr std::size_t least_figures = 8;  // fewer say nothing of 5 and 95 %, nor of how systems differ

/// How far one figure is off, in logarithms. The weights of a system's add up to 1, of one with few rows to less.
struct Residual {
  double value = 0;  // ln(measured / forecast); of steps, as without saturation
  double weight = 0;
  std::string_view system{};
};
using Residuals = std::vector<Residual>;

struct Quantiles {
  double p05 = 0;
  double p50 = 0;
  double p95 = 0;
};

double weighted_quantile(Residuals residuals, double q);

/// Between those of an entry and those of all pools of its engine, which weigh as one more system.
Quantiles pulled(const Residuals& own, const Residuals& every);

/// How far systems' medians (of those with least_figures rows or more) lie about their mean: a variance and its
/// degrees of freedom, 0 where there is but one such system.
struct Between {
  double variance = 0;
  std::size_t degrees = 0;
};
Between between_systems(const Residuals& of_engine);

/// Of several engines, with as many degrees as they have in the mean.
Between pooled(std::span<const Between> engines);

/// Of a system that is none of these: rows scatter about their system's median as they do in `own`, and the median of
/// a new one about theirs as medians do among all pools of the engine and, as a few of them happen to be alike or
/// not, of `others`, by the degrees of each (the moderated variance of Smyth 2004, Linear models and empirical Bayes
/// methods, section 3); further by the errors of a mean and of a standard deviation of so many systems: the
/// prediction interval of a normal distribution, with Student's t. The middle is pulled as above.
Quantiles foreseen(const Residuals& own, const Residuals& every, const Between& others);

}  // namespace servecast
