#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "models/base/registry.h"
#include "models/policy/expert_routing.h"

namespace servecast {

/// What may be known while a step computes one layer, of the next layer with experts. No span names an expert twice.
struct LayerView {
  std::int64_t layer = 0;              // the next one, whose experts are to be predicted
  std::span<const ExpertId> here{};    // what the step's tokens ask for in the layer before it
  std::span<const ExpertId> coming{};  // what they will ask for in it: for those that compute or know it
  std::span<const ExpertId> before{};  // what the step before asked for in it
};

/// Predicts which experts the next layer needs, so that those that are not in the GPU's memory are loaded while this
/// layer is computed. Wrong guesses cost bandwidth and push others out. One instance serves one replica.
class ExpertPrefetch {
 public:
  static constexpr std::string_view kind = "expert_prefetch";
  static constexpr PolicyListing listing{"expert_prefetches", "which experts are loaded ahead"};
  virtual ~ExpertPrefetch() = default;

  virtual void resize(const ExpertShape&) {}
  /// Once for each layer but the first of each step, in order. Each expert at most once; loads start in this order.
  virtual std::vector<ExpertId> predict(const LayerView& view, Rng& rng) = 0;
};

}  // namespace servecast
