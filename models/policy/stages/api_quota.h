#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>

#include "models/base/fields.h"

namespace servecast {

/// So many a minute: a bucket that holds one minute's share and fills evenly, as providers describe their limits.
class MinuteQuota {
 public:
  explicit MinuteQuota(double per_minute) : per_s_(per_minute / 60), most_(per_minute), left_(per_minute) {}

  /// None: they can go. Else when there will be room, or never.
  std::optional<double> wait_s(double amount, double now_s) {
    if (most_ == 0) return std::nullopt;
    left_ = std::min(most_, left_ + per_s_ * (now_s - filled_s_));
    filled_s_ = now_s;
    if (left_ >= amount) return std::nullopt;
    return amount > most_ ? never : (amount - left_) / per_s_;
  }
  void take(double amount) {
    if (most_ > 0) left_ -= amount;
  }
  static constexpr double never = 1e300;

 private:
  double per_s_;
  double most_;  // 0: no limit
  double left_;
  double filled_s_ = 0;
};

/// So many a day; the count begins anew at midnight, which the run starts at.
class DayQuota {
 public:
  explicit DayQuota(double per_day) : most_(per_day) {}

  std::optional<double> wait_s(double amount, double now_s) {
    constexpr double day_s = 86'400;
    if (most_ == 0) return std::nullopt;
    const double today = std::floor(now_s / day_s);
    if (today > day_) used_ = 0;
    day_ = today;
    if (used_ + amount <= most_) return std::nullopt;
    return amount > most_ ? MinuteQuota::never : (today + 1) * day_s - now_s;
  }
  void take(double amount) { used_ += amount; }

 private:
  double most_;  // 0: no limit
  double used_ = 0;
  double day_ = 0;
};

/// Purchased capacity: units that take so many prompt tokens a minute, paid by the hour whether used or not.
///
/// As Azure describes its provisioned throughput units (PTU): utilization falls evenly and rises by what a request
/// weighs; a request is taken while it is below 100 %, so a burst may pass it and the next requests wait. Output
/// tokens weigh more than prompt tokens (gpt-4.1: 4), cached ones nothing. gpt-4.1 takes 3,000 tokens a minute and
/// unit, gpt-4o 2,500, at least 15 units in steps of 5 (azure-ai-docs, provisioned-throughput-onboarding, 2025).
struct ProvisionedTerms {
  std::int64_t units = 0;
  double tokens_per_minute_per_unit = 0;
  double usd_per_unit = 0;
  std::string term = "hour";
  double output_weight = 4;
  std::int64_t least_units = 15;
  std::int64_t unit_step = 5;
  double burst_s = 60;
  std::string overflow = "refuse";
  void fields(Fields& f) {
    f.required("units", units, "how many are bought", at_least_one);
    f.required("tokens_per_minute_per_unit", tokens_per_minute_per_unit, "prompt tokens a minute that a unit takes",
               positive);
    f.required("usd_per_unit", usd_per_unit, "price of a unit for the term, used or not");
    f.field("term", term, "for which a unit is paid: months have 730 hours, years 8,760", {"hour", "month", "year"});
    f.field("output_weight", output_weight, "prompt tokens that an output token counts for", positive);
    f.field("least_units", least_units, "fewest units that are sold", at_least_one);
    f.field("unit_step", unit_step, "and in steps of how many", at_least_one);
    f.field("burst_s", burst_s, "of the units' tokens that may be ahead of time before a request is refused",
            positive);
    f.field("overflow", overflow, "where they are full: 429, or on demand at the prices and quotas of tokens",
            {"refuse", "on_demand"});
  }
  double usd_per_hour() const {
    const double hours = term == "hour" ? 1 : term == "month" ? 730 : 8760;
    return static_cast<double>(units) * usd_per_unit / hours;
  }
};

class ProvisionedUnits {
 public:
  explicit ProvisionedUnits(const ProvisionedTerms& terms)
      : per_s_(static_cast<double>(terms.units) * terms.tokens_per_minute_per_unit / 60),
        most_(per_s_ * terms.burst_s) {}

  /// None: the request can be taken. Else when utilization is below 100 % again.
  std::optional<double> wait_s(double now_s) {
    used_ = std::max(0.0, used_ - per_s_ * (now_s - drained_s_));
    drained_s_ = now_s;
    if (used_ < most_) return std::nullopt;
    return (used_ - most_) / per_s_;
  }
  void take(double tokens) { used_ += tokens; }

 private:
  double per_s_;
  double most_;
  double used_ = 0;
  double drained_s_ = 0;
};

}  // namespace servecast
