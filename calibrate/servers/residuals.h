#pragma once
#include <cstddef>
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

/// Of a system that is none of these: rows scatter about their system's median as they do in `own`, and the median of
/// a new one about theirs as medians do among all pools of the engine (those of least_figures rows or more), further
/// by the errors of a mean and of a standard deviation of so many systems: the prediction interval of a normal
/// distribution, with Student's t. The middle is pulled as above.
Quantiles foreseen(const Residuals& own, const Residuals& every);

}  // namespace servecast
