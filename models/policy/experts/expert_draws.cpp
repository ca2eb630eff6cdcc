#include "models/policy/experts/expert_draws.h"

#include <algorithm>
#include <cassert>

#include "models/base/stable_math.h"

namespace servecast {

void ExpertDraws::clear() {
  for (const ExpertId expert : order_) taken_[index(expert)] = false;
  order_.clear();
}

bool ExpertDraws::take(ExpertId expert) {
  if (taken(expert)) return false;
  taken_[index(expert)] = true;
  order_.push_back(expert);
  return true;
}

void ExpertDraws::draw(std::span<const double> weights, Rng& rng) {
  double left = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) left += taken_[i] ? 0 : weights[i];
  double at = rng.uniform() * left;
  std::size_t last_free = weights.size();
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (taken_[i] || (left > 0 && weights[i] == 0)) continue;
    last_free = i;
    at -= weights[i];
    if (at < 0) break;
  }
  assert(last_free < weights.size());
  take(ExpertId{static_cast<std::uint16_t>(last_free)});
}

void draw_gates(double spread, Rng& rng, std::span<ExpertChoice> choices) {
  double logit = 0;
  double sum = 0;
  for (std::size_t rank = 0; rank < choices.size(); ++rank) {
    if (rank > 0) logit -= rng.exponential(spread / static_cast<double>(rank));
    choices[rank].gate = stable::exp(logit);
    sum += choices[rank].gate;
  }
  for (ExpertChoice& choice : choices) choice.gate /= sum;
}

}  // namespace servecast
