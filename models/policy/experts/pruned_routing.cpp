#include "models/policy/experts/pruned_routing.h"

namespace servecast {

PrunedRouting::PrunedRouting(std::unique_ptr<ExpertRouting> among, const std::vector<bool>& kept,
                             const ExpertShape& base)
    : among_(std::move(among)),
      kept_(static_cast<std::size_t>(base.layers)),
      active_(static_cast<std::size_t>(base.active)) {
  const auto each = static_cast<std::size_t>(base.experts);
  for (std::size_t at = 0; at < kept.size(); ++at)
    if (kept[at]) kept_[at / each].push_back(ExpertId{static_cast<std::uint16_t>(at % each)});
}

void PrunedRouting::route(const RoutedToken& token, Rng& rng, std::span<ExpertChoice> choices) {
  among_->route(token, rng, choices);
  for (std::size_t i = 0; i < choices.size(); ++i) choices[i].expert = kept_[i / active_][index(choices[i].expert)];
}

}  // namespace servecast
