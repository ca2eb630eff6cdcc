#include "models/policy/experts/expert_ranks.h"

#include <algorithm>
#include <cassert>

#include "models/policy/experts/expert_balance.h"

namespace servecast {
namespace {

constexpr std::int64_t largest_drawn = 4096;  // tokens of a batch, and of all batches of one size together

/// Where the copies of one layer's experts are.
struct LayerPlaces {
  struct Copy {
    std::size_t rank = 0;
    std::size_t place = 0;  // over all ranks
  };
  std::vector<std::vector<Copy>> by_expert{};
};

LayerPlaces places_of(const ExpertPlacement& placement) {
  LayerPlaces places{.by_expert = std::vector<std::vector<LayerPlaces::Copy>>(placement.copies.size())};
  std::size_t place = 0;
  for (std::size_t rank = 0; rank < placement.on.size(); ++rank)
    for (const std::size_t expert : placement.on[rank])
      places.by_expert[expert].push_back({.rank = rank, .place = place++});
  return places;
}

/// Draws batches and adds up what their fullest ranks have.
class Drawer {
 public:
  Drawer(const RoutingTrace& recording, const ExpertRanks& layout) : recording_(recording), layout_(layout) {
    const std::int64_t learnt = recording.tokens() / 2;
    for (std::int64_t layer = 0; layer < recording.shape.layers; ++layer) {
      std::vector<double> loads(static_cast<std::size_t>(recording.shape.experts), 0);
      for (std::int64_t token = 0; token < learnt; ++token)
        for (const std::uint8_t expert : chosen(token, layer)) loads[expert] += 1;
      layers_.push_back(places_of(layout.balanced ? place_experts(loads, layout.ranks, layout.redundant)
                                                  : place_in_order(loads, layout.ranks)));
    }
  }

  RankLoad draw(std::int64_t size, Rng& rng) {
    sums_ = {};
    const std::int64_t draws = std::max<std::int64_t>(1, largest_drawn / size / recording_.shape.layers);
    for (std::int64_t i = 0; i < draws; ++i)
      for (std::int64_t layer = 0; layer < recording_.shape.layers; ++layer) add_batch(size, layer, rng);
    const double batches = static_cast<double>(draws * recording_.shape.layers);
    return {.visits = sums_.visits / batches,
            .node_visits = sums_.node_visits / batches,
            .touched_fraction = sums_.touched / sums_.even_touched};
  }

 private:
  struct Sums {
    double visits = 0;
    double node_visits = 0;
    double touched = 0;
    double even_touched = 0;
  };

  std::span<const std::uint8_t> chosen(std::int64_t token, std::int64_t layer) const {
    return std::span(recording_.experts)
        .subspan(recording_.at(token, layer), static_cast<std::size_t>(recording_.shape.active));
  }

  void add_batch(std::int64_t size, std::int64_t layer, Rng& rng) {
    const std::int64_t learnt = recording_.tokens() / 2;
    const auto met = static_cast<std::uint64_t>(recording_.tokens() - learnt);
    visits_.assign(static_cast<std::size_t>(layout_.ranks), 0);
    touched_.assign(static_cast<std::size_t>(recording_.shape.experts + layout_.redundant), false);
    for (std::int64_t i = 0; i < size; ++i)
      for (const std::uint8_t expert : chosen(learnt + static_cast<std::int64_t>(rng.below(met)), layer)) {
        const auto& copies = layers_[static_cast<std::size_t>(layer)].by_expert[expert];
        const auto& copy = copies[static_cast<std::size_t>(i) % copies.size()];
        visits_[copy.rank] += 1;
        touched_[copy.place] = true;
      }
    add_fullest(size);
  }

  void add_fullest(std::int64_t size) {
    const auto fullest = std::ranges::max_element(visits_) - visits_.begin();
    const double most = visits_[static_cast<std::size_t>(fullest)];
    const double all = static_cast<double>(size * recording_.shape.active);
    const auto places = static_cast<std::ptrdiff_t>(touched_.size()) / static_cast<std::ptrdiff_t>(layout_.ranks);
    const auto first = touched_.begin() + fullest * places;
    sums_.visits += most / all * static_cast<double>(layout_.ranks);
    sums_.touched += static_cast<double>(std::count(first, first + places, true));
    sums_.even_touched += std::min(most, static_cast<double>(places));
    double node = 0;
    for (auto begin = visits_.begin(); begin != visits_.end(); begin += layout_.node_ranks) {
      double load = 0;
      for (auto rank = begin; rank != begin + layout_.node_ranks; ++rank) load += *rank;
      node = std::max(node, load);
    }
    sums_.node_visits += node / all * static_cast<double>(layout_.ranks / layout_.node_ranks);
  }

  const RoutingTrace& recording_;
  const ExpertRanks& layout_;
  std::vector<LayerPlaces> layers_{};
  std::vector<double> visits_{};  // by rank, of one batch
  std::vector<bool> touched_{};   // by place
  Sums sums_{};
};

}  // namespace

RankLoads fullest_ranks(const RoutingTrace& recording, const ExpertRanks& layout, std::int64_t largest, Rng& rng) {
  assert(recording.tokens() >= 2 && layout.ranks % layout.node_ranks == 0);
  Drawer drawer(recording, layout);
  std::vector<RankLoad> knots;
  for (std::int64_t size = 1;; size *= 2) {
    knots.push_back(drawer.draw(size, rng));
    if (size >= largest || size >= largest_drawn) break;
  }
  return RankLoads(std::move(knots));
}

}  // namespace servecast
