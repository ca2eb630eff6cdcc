#pragma once
#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "models/base/quantile.h"
#include "sim/report/statistics/any_order_sum.h"
#include "sim/report/statistics/statistics.h"

namespace servecast {

/// Counts of positive numbers (seconds between tokens) in buckets whose width grows with the number: 1,024 per
/// octave.
///
/// A bucket is the upper bits of the double, so finding it costs a shift, and every number in it lies within
/// 1/2,048 = 0.049 % of its middle. Count, smallest and largest are exact, the sum to 1e-12 s per number. Numbers
/// below 2^-30 (a nanosecond) share one bucket and count as the smallest of them, numbers from 2^34 (544 years)
/// another. Octaves in which nothing was counted take no memory.
class Histogram {
 public:
  /// Of a quantile, relative to the exact one.
  static constexpr double max_error_fraction = 0x1p-11;

  void add(double value, std::int64_t count = 1) {
    assert(value >= 0 && count >= 0);
    if (count == 0) return;
    const std::size_t i = bucket(value);
    octave(i >> bucket_bits)[i % octave_buckets] += count;
    count_ += count;
    sum_.add(value, count);
    min_ = std::min(min_, value);
    max_ = std::max(max_, value);
  }

  Histogram& operator+=(const Histogram& other) {
    for (std::size_t o = 0; o < octaves; ++o)
      for (std::size_t i = 0; i < other.octaves_[o].size(); ++i) octave(o)[i] += other.octaves_[o][i];
    count_ += other.count_;
    sum_ += other.sum_;
    min_ = std::min(min_, other.min_);
    max_ = std::max(max_, other.max_);
    return *this;
  }

  std::int64_t count() const { return count_; }
  double sum() const { return sum_.value(); }
  double max() const { return max_; }

  /// Nearest rank: the middle of the bucket that holds the ceil(q count)-th smallest number. Requires count() > 0.
  double quantile(double q) const {
    std::int64_t left = nearest_rank(q, count_);
    for (std::size_t o = 0;; ++o) {
      for (std::size_t i = 0; i < octaves_[o].size(); ++i) {
        left -= octaves_[o][i];
        if (left <= 0) return std::clamp(middle(o * octave_buckets + i), min_, max_);
      }
    }
  }

  std::optional<Statistics> statistics() const {
    if (count_ == 0) return std::nullopt;
    return Statistics{.mean = sum() / static_cast<double>(count_),
                      .p50 = quantile(0.50),
                      .p90 = quantile(0.90),
                      .p95 = quantile(0.95),
                      .p99 = quantile(0.99),
                      .max = max_};
  }

 private:
  static constexpr int bucket_bits = 10;
  static constexpr int shift = std::numeric_limits<double>::digits - 1 - bucket_bits;
  static constexpr std::uint64_t one = std::uint64_t{1023} << bucket_bits;  // upper bits of 1.0: the exponent's bias
  static constexpr std::uint64_t first = one - (30u << bucket_bits);        // of 2^-30
  static constexpr std::uint64_t last = one + (34u << bucket_bits);         // of 2^34

  static constexpr std::size_t octave_buckets = std::size_t{1} << bucket_bits;
  static constexpr std::size_t octaves = ((last - first) >> bucket_bits) + 1;

  static std::size_t bucket(double value) {
    return std::clamp(std::bit_cast<std::uint64_t>(value) >> shift, first, last) - first;
  }
  static double middle(std::size_t i) {
    if (i == 0) return 0;
    const auto low = std::bit_cast<double>((first + i) << shift);
    const auto high = std::bit_cast<double>((first + i + 1) << shift);
    return (low + high) / 2;
  }

  std::vector<std::int64_t>& octave(std::size_t o) {
    if (octaves_[o].empty()) octaves_[o].resize(octave_buckets);
    return octaves_[o];
  }

  std::vector<std::vector<std::int64_t>> octaves_ = std::vector<std::vector<std::int64_t>>(octaves);
  std::int64_t count_ = 0;
  AnyOrderSum sum_;
  double min_ = std::numeric_limits<double>::infinity();
  double max_ = 0;
};

}  // namespace servecast
