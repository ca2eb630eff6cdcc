#include "sim/input/trace/generate/distribution.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "models/base/stable_math.h"
#include "sim/input/trace/generate/histogram_file.h"

namespace servecast {
namespace {

constexpr double z90 = 1.2815515655446004;  // nine tenths of a standard normal lie below

class Fixed final : public Distribution {
 public:
  explicit Fixed(double value) : value_(value) {}
  double draw(Rng&) const override { return value_; }

 private:
  double value_;
};

class Uniform final : public Distribution {
 public:
  explicit Uniform(const UniformSpec& spec) : spec_(spec) {}
  double draw(Rng& rng) const override { return spec_.min + (spec_.max - spec_.min) * rng.uniform(); }

 private:
  UniformSpec spec_;
};

/// With mean m = exp(mu + s^2/2) and p90 = exp(mu + z s): ln(p90/m) = z s - s^2/2, whose smaller root is the s below.
double sigma_of_p90(double mean, double p90) {
  return z90 - std::sqrt(std::max(0.0, z90 * z90 - 2 * stable::log(p90 / mean)));
}

class Lognormal final : public Distribution {
 public:
  explicit Lognormal(const LognormalSpec& spec)
      : sigma_(spec.p90 ? sigma_of_p90(*spec.mean, *spec.p90) : *spec.sigma) {
    mu_ = spec.median ? stable::log(*spec.median) : stable::log(*spec.mean) - sigma_ * sigma_ / 2;
  }
  double draw(Rng& rng) const override { return rng.lognormal(mu_, sigma_); }

 private:
  double sigma_;
  double mu_ = 0;
};

class Exponential final : public Distribution {
 public:
  explicit Exponential(const ExponentialSpec& spec) : mean_(spec.mean) {}
  double draw(Rng& rng) const override { return rng.exponential(mean_); }

 private:
  double mean_;
};

class Weighted final : public Distribution {
 public:
  explicit Weighted(const HistogramSpec& spec) : values_(spec.values), index_(spec.weights) {}
  double draw(Rng& rng) const override { return values_[index_.draw(rng)]; }

 private:
  std::vector<double> values_;
  WeightedIndex index_;
};

class Zipf final : public Distribution {
 public:
  explicit Zipf(const ZipfSpec& spec)
      : min_(spec.min), index_(zipf_weights(spec.min, spec.max - spec.min + 1, spec.exponent)) {}
  double draw(Rng& rng) const override { return static_cast<double>(min_) + static_cast<double>(index_.draw(rng)); }

 private:
  std::int64_t min_;
  WeightedIndex index_;
};

class Clipped final : public Distribution {
 public:
  Clipped(std::unique_ptr<Distribution> inner, double min, double max)
      : inner_(std::move(inner)), min_(min), max_(max) {}
  double draw(Rng& rng) const override { return std::clamp(inner_->draw(rng), min_, max_); }

 private:
  std::unique_ptr<Distribution> inner_;
  double min_;
  double max_;
};

void check_lognormal(const LognormalSpec& spec, const std::string& path, SpecProblems& problems) {
  const bool by_sigma = (spec.median.has_value() != spec.mean.has_value()) && spec.sigma && !spec.p90;
  const bool by_p90 = spec.mean && spec.p90 && !spec.median && !spec.sigma;
  if (!by_sigma && !by_p90)
    problems.add(path, "'lognormal' needs two numbers: median and sigma, mean and sigma, or mean and p90");
  const double most = stable::exp(z90 * z90 / 2);  // 2.27: no lognormal has a larger p90 / mean
  if (by_p90 && (*spec.p90 < *spec.mean || *spec.p90 > most * *spec.mean))
    problems.add(path + ".p90", fmt::format("'p90' must be 1 to {:.2f} times the mean, not {:.2f} times", most,
                                            *spec.p90 / *spec.mean));
}

void check_histogram(const HistogramSpec& spec, const std::string& path, SpecProblems& problems) {
  const bool lists = !spec.values.empty() || !spec.weights.empty();
  if (lists == !spec.file.empty()) problems.add(path, "'histogram' needs values and weights, or a file with both");
  if (spec.values.size() != spec.weights.size())
    problems.add(path + ".weights",
                 fmt::format("'weights' has {} entries, 'values' has {}; one weight for each value",
                             spec.weights.size(), spec.values.size()));
  if (lists && std::ranges::none_of(spec.weights, [](double w) { return w > 0; }))
    problems.add(path + ".weights", "'weights' are all zero; at least one must be above");
}

std::unique_ptr<Distribution> make_unclipped(const DistributionSpec& spec, const std::filesystem::path& base_folder) {
  if (spec.fixed) return std::make_unique<Fixed>(*spec.fixed);
  if (spec.uniform) return std::make_unique<Uniform>(*spec.uniform);
  if (spec.lognormal) return std::make_unique<Lognormal>(*spec.lognormal);
  if (spec.exponential) return std::make_unique<Exponential>(*spec.exponential);
  if (spec.zipf) return std::make_unique<Zipf>(*spec.zipf);
  if (spec.histogram->file.empty()) return std::make_unique<Weighted>(*spec.histogram);
  return std::make_unique<Weighted>(read_histogram((base_folder / spec.histogram->file).string()));
}

}  // namespace

void check_distribution(const DistributionSpec& spec, const std::string& path, SpecProblems& problems) {
  problems.exactly_one(path, {{"fixed", spec.fixed.has_value()},
                              {"uniform", spec.uniform.has_value()},
                              {"lognormal", spec.lognormal.has_value()},
                              {"exponential", spec.exponential.has_value()},
                              {"zipf", spec.zipf.has_value()},
                              {"histogram", spec.histogram.has_value()}});
  if (spec.uniform && spec.uniform->max < spec.uniform->min)
    problems.add(path + ".uniform.max", "'max' must not be below 'min'");
  if (spec.zipf && spec.zipf->max < spec.zipf->min) problems.add(path + ".zipf.max", "'max' must not be below 'min'");
  if (spec.min && spec.max && *spec.max < *spec.min) problems.add(path + ".max", "'max' must not be below 'min'");
  if (spec.lognormal) check_lognormal(*spec.lognormal, path + ".lognormal", problems);
  if (spec.histogram) check_histogram(*spec.histogram, path + ".histogram", problems);
}

std::unique_ptr<Distribution> make_distribution(const DistributionSpec& spec,
                                                const std::filesystem::path& base_folder) {
  std::unique_ptr<Distribution> made = make_unclipped(spec, base_folder);
  if (!spec.min && !spec.max) return made;
  return std::make_unique<Clipped>(std::move(made), spec.min.value_or(0),
                                   spec.max.value_or(std::numeric_limits<double>::infinity()));
}

WeightedIndex::WeightedIndex(const std::vector<double>& weights) {
  double sum = 0;
  for (const double weight : weights) cumulative_.push_back(sum += weight);
}

std::size_t WeightedIndex::draw(Rng& rng) const {
  const double at = rng.uniform() * cumulative_.back();
  const auto found = std::ranges::upper_bound(cumulative_, at);
  return std::min(static_cast<std::size_t>(found - cumulative_.begin()), cumulative_.size() - 1);
}

std::vector<double> zipf_weights(std::int64_t first, std::int64_t count, double exponent) {
  std::vector<double> weights;
  for (std::int64_t i = 0; i < count; ++i) weights.push_back(stable::pow(static_cast<double>(first + i), -exponent));
  return weights;
}

}  // namespace servecast
