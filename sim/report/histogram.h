#pragma once
#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "sim/report/statistics.h"

namespace servecast {

/// Counts of positive numbers (seconds between tokens) in buckets whose width grows with the number: 1,024 per
/// octave.
///
/// A bucket is the upper bits of the double, so finding it costs a shift, and every number in it lies within
/// 1/2,048 = 0.049 % of its middle. Count, sum, smallest and largest are exact. Numbers below 2^-30 (a nanosecond)
/// share one bucket, numbers from 2^34 (544 years) another.
class Histogram {
 public:
  void add(double value, std::int64_t count = 1) {
    assert(value >= 0 && count >= 0);
    if (count == 0) return;
    buckets_[bucket(value)] += count;
    count_ += count;
    sum_ += value * static_cast<double>(count);
    min_ = std::min(min_, value);
    max_ = std::max(max_, value);
  }

  void merge(const Histogram& other) {
    for (std::size_t i = 0; i < buckets_.size(); ++i) buckets_[i] += other.buckets_[i];
    count_ += other.count_;
    sum_ += other.sum_;
    min_ = std::min(min_, other.min_);
    max_ = std::max(max_, other.max_);
  }

  std::int64_t count() const { return count_; }
  double sum() const { return sum_; }
  double max() const { return max_; }

  /// Nearest rank: the middle of the bucket that holds the ceil(q count)-th smallest number. Requires count() > 0.
  double quantile(double q) const {
    std::int64_t left = nearest_rank(q, count_);
    std::size_t i = 0;
    while (left > buckets_[i]) left -= buckets_[i++];
    return std::clamp(middle(i), min_, max_);
  }

  std::optional<Statistics> statistics() const {
    if (count_ == 0) return std::nullopt;
    return Statistics{.mean = sum_ / static_cast<double>(count_),
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

  static std::size_t bucket(double value) {
    return std::clamp(std::bit_cast<std::uint64_t>(value) >> shift, first, last) - first;
  }
  static double middle(std::size_t i) {
    const auto low = std::bit_cast<double>((first + i) << shift);
    const auto high = std::bit_cast<double>((first + i + 1) << shift);
    return (low + high) / 2;
  }

  std::vector<std::int64_t> buckets_ = std::vector<std::int64_t>(last - first + 1);
  std::int64_t count_ = 0;
  double sum_ = 0;
  double min_ = std::numeric_limits<double>::infinity();
  double max_ = 0;
};

}  // namespace servecast
