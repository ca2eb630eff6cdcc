#pragma once
#include <span>
#include <vector>

#include "models/policy/expert_routing.h"

namespace servecast {

/// An expert that may stand in for another one of its layer, and how often it was chosen together with that.
struct ExpertBuddy {
  ExpertId expert{};
  double q = 0;  // of all that were chosen together with it; those of a whole layer sum to 1
};

/// Which expert may stand in for which (BuddyMoE, arXiv 2511.10054): q(j|i) = M(i,j) / sum_j M(i,j), M counting the
/// tokens of a profile that chose both, each count raised by `laplace`. An expert's list is the shortest whose q add
/// up to `alpha`, the largest first, of at most `k_max`.
class ExpertBuddies {
 public:
  struct Limits {
    double alpha = 1;
    std::int64_t k_max = 0;
    double laplace = 0;
  };
  ExpertBuddies(const RoutingTrace& profile, const Limits& limits);

  std::span<const ExpertBuddy> of(std::int64_t layer, ExpertId expert) const {
    return lists_[static_cast<std::size_t>(layer) * experts_ + index(expert)];
  }
  /// Chosen together, whether on the list or not.
  double q(std::int64_t layer, ExpertId with, ExpertId expert) const {
    return q_[(static_cast<std::size_t>(layer) * experts_ + index(with)) * experts_ + index(expert)];
  }
  /// The same over that of the one that it is chosen together with most, 0 to 1.
  double likeness(std::int64_t layer, ExpertId with, ExpertId expert) const {
    const auto list = of(layer, with);
    return list.empty() || list.front().q <= 0 ? 0 : q(layer, with, expert) / list.front().q;
  }

 private:
  std::size_t experts_;
  std::vector<double> q_;  // by layer, expert and buddy
  std::vector<std::vector<ExpertBuddy>> lists_{};
};

/// Psi(j|i,x) = q (1 + eta z) (1 - kappa hop): z is the gate's liking for j, 0 to 1; hop the way to the GPU that
/// holds it.
struct BuddyWeights {
  double eta = 0;
  double kappa = 0;
};
inline double buddy_score(double q, double z, double hop, const BuddyWeights& w) {
  return q * (1 + w.eta * z) * (1 - w.kappa * hop);
}

/// The entropy of a layer's gates (token_entropy) below which this share of the profile's tokens lies, by layer.
std::vector<double> entropy_percentiles(const RoutingTrace& profile, double percentile, double temperature);

}  // namespace servecast
