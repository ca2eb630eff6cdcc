#pragma once
#include <algorithm>
#include <cmath>

#include "models/base/normal_quantile.h"
#include "models/base/rng.h"

namespace servecast {

/// What a judge sees of a question with two outcomes: a normal number, which lies higher where the outcome is so, by
/// as much as the judge's AUC says. AUC of two normal distributions of equal width that lie d apart is Phi(d / sqrt
/// 2).
class SkilledSignal {
 public:
  static constexpr double least_auc = 0.5;
  static constexpr double most_auc = 0.9999;

  explicit SkilledSignal(double auc) : apart_(std::sqrt(2.0) * normal_quantile(auc)) {}

  double draw(bool is_so, Rng& rng) const { return rng.normal() + (is_so ? apart_ : 0); }
  /// That it is so, given the signal and how often it is: Bayes, with two normal distributions.
  double probability(double signal, double prior) const {
    if (prior <= 0) return 0;
    const double odds = (1 - prior) / prior * stable::exp(apart_ * apart_ / 2 - apart_ * signal);
    return 1 / (1 + odds);
  }

 private:
  double apart_;  // by the common deviation
};

/// That the next model is right, given whether this one was: `nested_fraction` 1: whatever this one knows, the better
/// one knows too; 0: independently of each other. `here` and `next` are how often each is right.
inline double next_right(double here, double next, bool right, double nested_fraction) {
  const double nested = right ? std::min(1.0, next / here) : std::max(0.0, next - here) / std::max(1 - here, 1e-12);
  return nested_fraction * nested + (1 - nested_fraction) * next;
}

/// How often a model is right on prompts of one length, where it is right on `mean` of all: a probit that falls by
/// `slope` with each factor e of the length. Lengths are lognormal, so that the mean over them is `mean` again:
/// E Phi(a - b X) = Phi(a / sqrt(1 + b^2 sigma^2)) for X normal.
inline double right_at_length(double mean, double slope, double sigma, double lengths_ln) {
  if (mean <= 0 || mean >= 1) return mean;
  return normal_below(normal_quantile(mean) * std::sqrt(1 + slope * slope * sigma * sigma) - slope * lengths_ln);
}

}  // namespace servecast
