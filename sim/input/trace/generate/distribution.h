#pragma once
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "models/base/fields.h"
#include "models/base/rng.h"
#include "sim/input/yaml/spec_problems.h"

namespace servecast {

struct UniformSpec {
  double min = 0;
  double max = 0;
  void fields(Fields& f) {
    f.required("min", min, "smallest value");
    f.required("max", max, "largest value");
  }
};

/// Known by two of its numbers: median or mean with sigma, or mean with p90.
struct LognormalSpec {
  std::optional<double> median{};
  std::optional<double> mean{};
  std::optional<double> sigma{};
  std::optional<double> p90{};
  void fields(Fields& f) {
    f.field("median", median, "half of the values are below; goes with sigma", positive);
    f.field("mean", mean, "mean; goes with sigma or p90", positive);
    f.field("sigma", sigma, "standard deviation of the logarithm");
    f.field("p90", p90, "nine of ten values are below; goes with mean", positive);
  }
};

struct ExponentialSpec {
  double mean = 0;
  void fields(Fields& f) { f.required("mean", mean, "mean", positive); }
};

/// Whole numbers, v with a probability in proportion to v^-exponent.
struct ZipfSpec {
  double exponent = 1;
  std::int64_t min = 1;
  std::int64_t max = 1;
  void fields(Fields& f) {
    f.field("exponent", exponent, "how steeply large values get rare");
    f.field("min", min, "smallest value", at_least_one);
    f.required("max", max, "largest value", {.min = 1, .max = 1e7});
  }
};

/// These values, each as often as its weight says.
struct HistogramSpec {
  std::vector<double> values{};
  std::vector<double> weights{};
  std::string file{};
  void fields(Fields& f) {
    f.field("values", values, "the values that occur");
    f.field("weights", weights, "how often, in any unit; one for each value");
    f.field("file", file, "CSV file with the columns value,weight, in place of both lists");
  }
};

/// A random number, in the unit of the setting that holds it. Exactly one kind is given.
struct DistributionSpec {
  std::optional<double> fixed{};
  std::optional<UniformSpec> uniform{};
  std::optional<LognormalSpec> lognormal{};
  std::optional<ExponentialSpec> exponential{};
  std::optional<ZipfSpec> zipf{};
  std::optional<HistogramSpec> histogram{};
  std::optional<double> min{};
  std::optional<double> max{};
  void fields(Fields& f) {
    f.field("fixed", fixed, "always this value");
    f.group("uniform", uniform, "every value between two is equally likely");
    f.group("lognormal", lognormal, "its logarithm is normal: many small values, a long tail");
    f.group("exponential", exponential, "memoryless");
    f.group("zipf", zipf, "a power law over whole numbers");
    f.group("histogram", histogram, "given values with given weights");
    f.field("min", min, "smaller values become this one");
    f.field("max", max, "larger values become this one", positive);
  }
};

class Distribution {
 public:
  virtual ~Distribution() = default;
  virtual double draw(Rng& rng) const = 0;
};

/// Adds what is wrong with the settings at `path`.
void check_distribution(const DistributionSpec& spec, const std::string& path, SpecProblems& problems);

/// Requires settings that check_distribution() has passed. A histogram's file is looked for in `base_folder`; throws
/// UserError where it is missing or wrong.
std::unique_ptr<Distribution> make_distribution(const DistributionSpec& spec,
                                                const std::filesystem::path& base_folder);

/// Draws index i with a probability in proportion to weights[i].
class WeightedIndex {
 public:
  explicit WeightedIndex(const std::vector<double>& weights);
  std::size_t draw(Rng& rng) const;

 private:
  std::vector<double> cumulative_;
};

/// The weights first^-exponent, (first+1)^-exponent, ..., `count` of them.
std::vector<double> zipf_weights(std::int64_t first, std::int64_t count, double exponent);

}  // namespace servecast
