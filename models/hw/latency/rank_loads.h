#pragma once
#include <bit>
#include <cstdint>
#include <vector>

#include "models/hw/llm/llm.h"

namespace servecast {

/// Of a batch whose experts are spread over GPUs, what the fullest GPU has: a layer waits for it.
struct RankLoad {
  double visits = 1;            // its tokens times experts, over the mean of all GPUs
  double node_visits = 1;       // those of the fullest node, over the mean of all nodes
  double touched_fraction = 1;  // of the experts that as many visits touch that are spread evenly, those that it does
};

/// The same for batches of any size, means over layers; knots at 1, 2, 4, ... tokens, straight lines between them,
/// and the last one for all larger batches. Without knots: all GPUs have as much, as in benchmarks.
class RankLoads {
 public:
  RankLoads() = default;
  explicit RankLoads(std::vector<RankLoad> knots) : knots_(std::move(knots)) {}

  /// Nothing is known but that routers are trained, and no bias keeps loads even: benchmarks under their routing have
  /// the fullest GPU's time, where there are such.
  RankLoads as_trained() && {
    as_trained_ = true;
    return std::move(*this);
  }
  bool are_as_trained() const { return as_trained_; }

  RankLoad at(std::int64_t tokens) const {
    if (knots_.empty() || tokens == 0) return {};
    const auto whole = static_cast<std::uint64_t>(tokens);
    const auto knot = static_cast<std::size_t>(std::bit_width(whole) - 1);
    if (knot + 1 >= knots_.size()) return knots_.back();
    const RankLoad& a = knots_[knot];
    const RankLoad& b = knots_[knot + 1];
    const double part =
        static_cast<double>(whole - (std::uint64_t{1} << knot)) / static_cast<double>(std::uint64_t{1} << knot);
    const auto between = [part](double x, double y) { return x + part * (y - x); };
    return {.visits = between(a.visits, b.visits),
            .node_visits = between(a.node_visits, b.node_visits),
            .touched_fraction = between(a.touched_fraction, b.touched_fraction)};
  }

 private:
  std::vector<RankLoad> knots_{};
  bool as_trained_ = false;
};

/// Groups of GPUs over which whole experts are spread, as many on each.
struct ExpertGroups {
  std::int64_t groups = 1;
  std::int64_t node_groups = 1;  // in each node
};

/// The loads of routers that choose all experts equally often: what the fullest group has by chance. Of T tokens that
/// choose k of E experts, one of g groups gets T k / g visits in the mean, with the variance of as many draws without
/// replacement, T k / g (1 - 1/g) (E - k) / (E - 1); the most of g normal numbers lies (g - 3/8) / (g + 1/4) up their
/// distribution in the mean (Blom, "Statistical estimates and transformed beta-variables", 1958): within a tenth of
/// drawing from two visits of a group on, up to a quarter too few below. Left out: that groups share the visits, so
/// that one is fuller where others are not.
RankLoads chosen_by_chance(const Experts& experts, const ExpertGroups& layout);

}  // namespace servecast
