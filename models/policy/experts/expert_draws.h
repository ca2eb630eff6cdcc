#pragma once
#include <span>
#include <vector>

#include "models/policy/expert_routing.h"

namespace servecast {

/// Draws experts of one layer without taking one twice.
class ExpertDraws {
 public:
  explicit ExpertDraws(std::int64_t experts) : taken_(static_cast<std::size_t>(experts), false) {}

  /// A new token and layer: nothing is taken.
  void clear();
  bool taken(ExpertId expert) const { return taken_[index(expert)]; }
  std::span<const ExpertId> all() const { return order_; }
  std::size_t size() const { return order_.size(); }
  /// False, and nothing changes, where it is taken.
  bool take(ExpertId expert);
  /// One that is not taken, in proportion to the weights; requires that one is left with a weight above 0, or else
  /// takes the first that is free.
  void draw(std::span<const double> weights, Rng& rng);

 private:
  std::vector<bool> taken_;
  std::vector<ExpertId> order_{};
};

/// Gates of a token: a softmax over the largest of many logits whose tail is exponential with mean `spread`. Then the
/// gap between rank r and r + 1 is exponential with mean spread / r (Renyi 1953). Fills in the gates, which sum to 1,
/// highest first.
void draw_gates(double spread, Rng& rng, std::span<ExpertChoice> choices);

}  // namespace servecast
