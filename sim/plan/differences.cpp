#include "sim/plan/differences.h"

#include <algorithm>

#include "models/base/quantile.h"
#include "sim/report/figures.h"

namespace servecast {
namespace {

bool same_sign(double a, double b) { return (a > 0 && b > 0) || (a < 0 && b < 0); }

void judge_by_pairs(Difference& d, const Compared& base, const Compared& other) {
  std::vector<double> apart;
  const std::size_t pairs = std::min(base.draws.size(), other.draws.size());
  for (std::size_t i = 0; i < pairs; ++i) {
    const auto a = d.figure->of(base.draws[i]), b = d.figure->of(other.draws[i]);
    if (a && b) apart.push_back(*b - *a);
  }
  if (apart.empty()) return;
  d.p05 = quantile(apart, 0.05);
  d.p95 = quantile(apart, 0.95);
  const auto agreeing = std::ranges::count_if(apart, [&](double value) { return same_sign(value, *d.apart); });
  d.agreeing_fraction = static_cast<double>(agreeing) / static_cast<double>(apart.size());
}

void judge_by_intervals(Difference& d, const Compared& base, const Compared& other) {
  const auto a = base.interval, b = other.interval;
  const auto low = d.figure->of(b->p05), high = d.figure->of(b->p95);
  const auto base_low = d.figure->of(a->p05), base_high = d.figure->of(a->p95);
  if (!low || !high || !base_low || !base_high) return;
  d.p05 = *low - *base_high;
  d.p95 = *high - *base_low;
}

}  // namespace

std::vector<Difference> differences(const Compared& base, const Compared& other) {
  std::vector<Difference> all;
  for (const Figure& figure : figures()) {
    Difference d{.figure = &figure, .base = figure.of(base.best), .other = figure.of(other.best)};
    if (d.base && d.other) {
      d.apart = *d.other - *d.base;
      if (!base.draws.empty() && !other.draws.empty())
        judge_by_pairs(d, base, other);
      else if (base.interval && other.interval)
        judge_by_intervals(d, base, other);
    }
    all.push_back(d);
  }
  return all;
}

}  // namespace servecast
