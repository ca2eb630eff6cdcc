#include "calibrate/servers/residuals.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "models/base/normal_quantile.h"

namespace servecast {
namespace {

constexpr double every_weight = 1;  // of all pools of an engine: as one more system

Quantiles quantiles(const Residuals& r) {
  if (r.empty()) return {};
  return {weighted_quantile(r, 0.05), weighted_quantile(r, 0.5), weighted_quantile(r, 0.95)};
}

struct SystemMedian {
  double value = 0;
  double weight = 0;
  std::size_t rows = 0;
};
using SystemMedians = std::map<std::string_view, SystemMedian>;

SystemMedians medians_of(const Residuals& all) {
  std::map<std::string_view, Residuals> by_system;
  for (const Residual& one : all) by_system[one.system].push_back(one);
  SystemMedians medians;
  for (const auto& [system, rows] : by_system) {
    SystemMedian& median = medians[system];
    median = {.value = weighted_quantile(rows, 0.5), .rows = rows.size()};
    for (const Residual& one : rows) median.weight += one.weight;
  }
  return medians;
}

struct Mean {
  double value = 0;
  double systems = 0;
};

Mean mean_of(const SystemMedians& medians) {
  Mean mean;
  for (const auto& [system, median] : medians) {
    mean.value += median.weight * median.value;
    mean.systems += median.weight;
  }
  if (mean.systems > 0) mean.value /= mean.systems;
  return mean;
}

/// 95 % of Student's t with so many degrees of freedom; beyond the table within 0.2 %.
double student_p95(std::size_t degrees) {
  constexpr std::array table{6.314, 2.920, 2.353, 2.132, 2.015, 1.943, 1.895, 1.860, 1.833, 1.812};
  return degrees <= table.size() ? table[degrees - 1] : normal_p95 * (1 + 1 / static_cast<double>(degrees));
}

/// What 95 % of all medians lie below, of systems that differ so.
double p95_of(const Between& b) { return b.degrees == 0 ? 0 : student_p95(b.degrees) * std::sqrt(b.variance); }

/// Two estimates of one variance, each by its degrees of freedom.
Between together(const Between& a, const Between& b) {
  const double weight_a = static_cast<double>(a.degrees);
  const double weight_b = static_cast<double>(b.degrees);
  if (a.degrees + b.degrees == 0) return {};
  return {(weight_a * a.variance + weight_b * b.variance) / (weight_a + weight_b), a.degrees + b.degrees};
}

}  // namespace

double weighted_quantile(Residuals residuals, double q) {
  std::ranges::sort(residuals, {}, &Residual::value);
  double all = 0;
  for (const Residual& one : residuals) all += one.weight;
  double below = 0;
  for (const Residual& one : residuals)
    if ((below += one.weight) >= q * all) return one.value;
  return residuals.back().value;
}

Quantiles pulled(const Residuals& own, const Residuals& every) {
  const Quantiles to = quantiles(every);
  Quantiles q = quantiles(own);
  double own_weight = 0;
  for (const Residual& one : own) own_weight += one.weight;
  for (const auto part : {&Quantiles::p05, &Quantiles::p50, &Quantiles::p95})
    q.*part = (own_weight * q.*part + every_weight * to.*part) / (own_weight + every_weight);
  return q;
}

Between between_systems(const Residuals& of_engine) {
  SystemMedians medians = medians_of(of_engine);
  std::erase_if(medians, [](const auto& system) { return system.second.rows < least_figures; });
  if (medians.size() < 2) return {};
  double mean = 0;
  for (const auto& [system, median] : medians) mean += median.value / static_cast<double>(medians.size());
  double squares = 0;
  for (const auto& [system, median] : medians) squares += (median.value - mean) * (median.value - mean);
  const std::size_t degrees = medians.size() - 1;
  return {squares / static_cast<double>(degrees), degrees};
}

Between pooled(std::span<const Between> engines) {
  Between all;
  std::size_t counted = 0;
  for (const Between& engine : engines) {
    all = together(all, engine);
    counted += engine.degrees > 0 ? 1 : 0;
  }
  if (counted > 0) all.degrees = (all.degrees + counted / 2) / counted;
  return all;
}

Quantiles foreseen(const Residuals& own, const Residuals& every, const Between& others) {
  const SystemMedians medians = medians_of(own);
  const SystemMedians all = medians_of(every);
  const Mean mean = mean_of(medians);
  const double with_every = mean.systems + every_weight;
  const double middle = (mean.systems * mean.value + every_weight * mean_of(all).value) / with_every;
  Residuals within = own;
  for (Residual& one : within) one.value -= medians.at(one.system).value;
  const Quantiles rows = quantiles(within);
  const double between = p95_of(together(between_systems(every), others)) * std::sqrt(1 + 1 / with_every);
  return {middle - std::hypot(rows.p05, between), middle, middle + std::hypot(rows.p95, between)};
}

}  // namespace servecast
