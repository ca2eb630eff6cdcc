#pragma once
#include <memory>
#include <vector>

#include "models/policy/expert_routing.h"

namespace servecast {

/// Of a model that lacks some of its base's experts: a routing among those that are left, whose choices are numbered
/// as the base's.
class PrunedRouting final : public ExpertRouting {
 public:
  /// `among` is resized to so many experts as are left; kept: [layer * experts + expert] of the base.
  PrunedRouting(std::unique_ptr<ExpertRouting> among, const std::vector<bool>& kept, const ExpertShape& base);

  void resize(const ExpertShape&, const RoutingData&, Rng&) override {}  // it comes resized
  void route(const RoutedToken& token, Rng& rng, std::span<ExpertChoice> choices) override;
  void forget(RequestId request) override { among_->forget(request); }

 private:
  std::unique_ptr<ExpertRouting> among_;
  std::vector<std::vector<ExpertId>> kept_;  // by layer
  std::size_t active_;
};

}  // namespace servecast
