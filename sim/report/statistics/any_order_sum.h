#pragma once
#include <algorithm>
#include <cassert>
#include <cstdint>

namespace servecast {

/// A sum of amounts (seconds, joules) that is the same in any order: replicas are advanced when their state is
/// needed, so what they report comes in different orders in two runs that differ only in when replicas were advanced.
///
/// The whole parts and the rests, in units of 2^-40 (9e-13), are summed as integers. Amounts from 2^34 on count as
/// that.
class AnyOrderSum {
 public:
  void add(double amount, std::int64_t count = 1) {
    assert(amount >= 0 && count >= 0 && count < most_count);
    const double bounded = std::min(amount, largest);
    const auto whole = static_cast<std::int64_t>(bounded);
    const auto rest = static_cast<std::int64_t>((bounded - static_cast<double>(whole)) * one + 0.5);
    whole_ += whole * count;
    carry(rest * count);
  }
  AnyOrderSum& operator+=(const AnyOrderSum& other) {
    whole_ += other.whole_;
    carry(other.rest_);
    return *this;
  }
  double value() const { return static_cast<double>(whole_) + static_cast<double>(rest_) / one; }

 private:
  static constexpr int rest_bits = 40;
  static constexpr double one = 0x1p40;
  static constexpr double largest = 0x1p34;
  static constexpr std::int64_t most_count = std::int64_t{1} << 22;  // so that no sum of rests overflows

  void carry(std::int64_t rest) {
    rest_ += rest;
    whole_ += rest_ >> rest_bits;
    rest_ &= (std::int64_t{1} << rest_bits) - 1;
  }

  std::int64_t whole_ = 0;
  std::int64_t rest_ = 0;  // below 1
};

}  // namespace servecast
