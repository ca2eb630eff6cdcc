#pragma once
#include <bit>
#include <cstdint>
#include <vector>

namespace servecast {

/// Of a batch whose experts are spread over GPUs, what the fullest GPU has: a layer waits for it.
struct RankLoad {
  double visits = 1;            // its tokens times experts, over the mean of all GPUs
  double node_visits = 1;       // those of the fullest node, over the mean of all nodes
  double touched_fraction = 1;  // of the experts that as many evenly routed visits touch there, those that it touches
};

/// The same for batches of any size, means over layers; knots at 1, 2, 4, ... tokens, straight lines between them,
/// and the last one for all larger batches. Without knots: even routing.
class RankLoads {
 public:
  RankLoads() = default;
  explicit RankLoads(std::vector<RankLoad> knots) : knots_(std::move(knots)) {}

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
  bool even() const { return knots_.empty(); }

 private:
  std::vector<RankLoad> knots_{};
};

}  // namespace servecast
