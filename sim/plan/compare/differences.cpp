#include "sim/plan/compare/differences.h"

#include <algorithm>

#include "models/base/quantile.h"

namespace servecast {
namespace {

/// All figures of one of the things compared.
struct ComparedValues {
  explicit ComparedValues(const Compared& of) : best(of.best) {
    for (const Summary& draw : of.draws) draws.emplace_back(draw);
    if (!of.interval) return;
    p05.emplace(of.interval->p05);
    p95.emplace(of.interval->p95);
  }

  FigureValues best;
  std::vector<FigureValues> draws{};
  std::optional<FigureValues> p05{};
  std::optional<FigureValues> p95{};
};

bool same_sign(double a, double b) { return (a > 0 && b > 0) || (a < 0 && b < 0); }

void judge_by_pairs(Difference& d, const ComparedValues& base, const ComparedValues& other) {
  const std::string& key = d.figure.key;
  std::vector<double> apart;
  const std::size_t pairs = std::min(base.draws.size(), other.draws.size());
  for (std::size_t i = 0; i < pairs; ++i) {
    const auto a = base.draws[i].of(key), b = other.draws[i].of(key);
    if (a && b) apart.push_back(*b - *a);
  }
  if (apart.empty()) return;
  d.p05 = quantile(apart, 0.05);
  d.p95 = quantile(apart, 0.95);
  const auto agreeing = std::ranges::count_if(apart, [&](double value) { return same_sign(value, *d.apart); });
  d.agreeing_fraction = static_cast<double>(agreeing) / static_cast<double>(apart.size());
}

void judge_by_intervals(Difference& d, const ComparedValues& base, const ComparedValues& other) {
  const std::string& key = d.figure.key;
  const auto low = other.p05->of(key), high = other.p95->of(key);
  const auto base_low = base.p05->of(key), base_high = base.p95->of(key);
  if (!low || !high || !base_low || !base_high) return;
  d.p05 = *low - *base_high;
  d.p95 = *high - *base_low;
}

}  // namespace

std::vector<Difference> differences(std::span<const FigureColumn> figures, const Compared& base,
                                    const Compared& other) {
  const ComparedValues a(base), b(other);
  std::vector<Difference> all;
  for (const FigureColumn& figure : figures) {
    Difference d{.figure = figure, .base = a.best.of(figure.key), .other = b.best.of(figure.key)};
    if (d.base && d.other) {
      d.apart = *d.other - *d.base;
      if (!a.draws.empty() && !b.draws.empty())
        judge_by_pairs(d, a, b);
      else if (a.p05 && b.p05)
        judge_by_intervals(d, a, b);
    }
    all.push_back(d);
  }
  return all;
}

}  // namespace servecast
