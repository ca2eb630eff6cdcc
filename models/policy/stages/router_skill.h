#pragma once
#include <cmath>

#include "models/base/stable_math.h"

namespace servecast {

/// How well a router tells for which requests the strong model is worth its price (RouteLLM, arXiv 2406.18665).
///
/// Requests are ranked by the router: rank 0 is the one it would send to the strong model first, rank 1 the last. The
/// strong model's expected gain over the weak one falls exponentially with the rank, so that of the whole gap between
/// the two models a share of c calls to the strong one recovers
///
///   PGR(c) = (1 - e^(-k c)) / (1 - e^(-k)),     APGR = integral of PGR over c = 1 / (1 - e^(-k)) - 1 / k
///
/// One number, the published APGR, gives k. k = 0 is a router that guesses (APGR 0.5, PGR = c). With RouteLLM's best
/// routers on MT-Bench, MMLU and GSM8K the published CPT(50 %) and CPT(80 %) follow within 2.5 points. It cannot say
/// that a mixture is better than the strong model alone (PGR above 1), nor worse than guessing.
class RouterSkill {
 public:
  static constexpr double least_apgr = 0.5;
  static constexpr double most_apgr = 0.99;

  explicit RouterSkill(double apgr) : steepness_(steepness_of(apgr)) {}

  /// PGR: the share of the gap that is recovered when the first `share` of the ranks goes to the strong model.
  double recovered(double share) const {
    if (steepness_ == 0) return share;
    return (1 - stable::exp(-steepness_ * share)) / (1 - stable::exp(-steepness_));
  }
  /// CPT: the least share of calls that recovers so much.
  double calls(double recovered) const {
    if (steepness_ == 0) return recovered;
    return -stable::log(1 - recovered * (1 - stable::exp(-steepness_))) / steepness_;
  }
  /// The gain at a rank, by the mean gain: the derivative of PGR.
  double gain(double rank) const {
    if (steepness_ == 0) return 1;
    return steepness_ * stable::exp(-steepness_ * rank) / (1 - stable::exp(-steepness_));
  }
  /// The share of ranks whose gain is at least so many times the mean one.
  double share_above(double times_mean) const {
    if (times_mean <= gain(1)) return 1;
    if (times_mean >= gain(0)) return 0;
    return -stable::log(times_mean * (1 - stable::exp(-steepness_)) / steepness_) / steepness_;
  }

 private:
  static double apgr_of(double k) { return 1 / (1 - stable::exp(-k)) - 1 / k; }
  static double steepness_of(double apgr) {
    constexpr double nearly_guessing = 1e-3;  // below it the two terms of APGR cancel
    double low = nearly_guessing;
    double high = 200;
    if (apgr <= apgr_of(low)) return 0;
    for (int i = 0; i < 100; ++i) {
      const double middle = (low + high) / 2;
      (apgr_of(middle) < apgr ? low : high) = middle;
    }
    return (low + high) / 2;
  }

  double steepness_;
};

}  // namespace servecast
