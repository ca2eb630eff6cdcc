// Expert routing "synthetic": skewed, local and correlated as the settings say, for any number of experts.
//
// Popularity of a layer's experts follows Zipf's law, in an order of its own in every layer. Each of a token's
// experts is, in turn: one that the request's token before used in this layer (`repeat_fraction`); else the successor
// of the expert of the same rank in the layer before, by a permutation fixed per layer (`successor_fraction`); else
// drawn by popularity. The defaults are the statistics of gpt-oss-20b, as measured by
//   servecast trace experts FOLDER --llm gpt-oss-20b
// on the recorded routing of 703 generations (docs/policies/expert_routing.md). Knows no topics: a request's experts
// wander.
#include <numeric>
#include <unordered_map>
#include <utility>

#include "models/base/stable_math.h"
#include "models/policy/experts/expert_draws.h"

namespace servecast {
namespace {

class SyntheticRouting final : public ExpertRouting {
 public:
  struct Settings {
    double zipf_exponent = 0.7;
    double repeat_fraction = 0.3;
    double successor_fraction = 0.75;
    double gate_spread = 0.34;
    void fields(Fields& f) {
      f.field("zipf_exponent", zipf_exponent,
              "popularity of the i-th expert of a layer: i to the minus this; 0: even");
      f.field("repeat_fraction", repeat_fraction, "share of a token's experts kept from the request's token before",
              fraction);
      f.field("successor_fraction", successor_fraction,
              "share of the others that follow from the expert of the same rank one layer before", fraction);
      f.field("gate_spread", gate_spread,
              "mean gap between the first and the second logit: larger, the surer a token", positive);
    }
  };
  explicit SyntheticRouting(const Settings& settings) : settings_(settings) {}

  void resize(const ExpertShape& shape, const RoutingData&, Rng& rng) override {
    shape_ = shape;
    draws_.emplace(shape.experts);
    for (std::int64_t layer = 0; layer < shape.layers; ++layer) {
      const std::vector<ExpertId> order = shuffled(rng);
      weights_.emplace_back(order.size());
      for (std::size_t i = 0; i < order.size(); ++i)
        weights_.back()[index(order[i])] = stable::pow(static_cast<double>(i + 1), -settings_.zipf_exponent);
      successors_.push_back(successors_of(order, layer));
      orders_.push_back(order);
    }
  }

  void route(const RoutedToken& token, Rng& rng, std::span<ExpertChoice> choices) override {
    std::vector<ExpertId>& before = before_[index(token.request)];
    const auto active = static_cast<std::size_t>(shape_.active);
    for (std::size_t layer = 0; layer < weights_.size(); ++layer) {
      draws_->clear();
      for (std::size_t rank = 0; rank < active && !before.empty(); ++rank)
        if (rng.uniform() < settings_.repeat_fraction) draws_->take(before[layer * active + rank]);
      for (std::size_t rank = draws_->size(); rank < active; ++rank) {
        const bool follows = layer > 0 && rng.uniform() < settings_.successor_fraction;
        if (follows && draws_->take(successors_[layer][index(choices[(layer - 1) * active + rank].expert)])) continue;
        draws_->draw(weights_[layer], rng);
      }
      const std::span<ExpertChoice> here = choices.subspan(layer * active, active);
      for (std::size_t rank = 0; rank < active; ++rank) here[rank].expert = draws_->all()[rank];
      draw_gates(settings_.gate_spread, rng, here);
    }
    before.resize(choices.size());
    for (std::size_t i = 0; i < choices.size(); ++i) before[i] = choices[i].expert;
  }

  void forget(RequestId request) override { before_.erase(index(request)); }

 private:
  std::vector<ExpertId> shuffled(Rng& rng) const {
    std::vector<ExpertId> order;
    for (std::int64_t i = 0; i < shape_.experts; ++i) order.push_back(ExpertId{static_cast<std::uint16_t>(i)});
    for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[rng.below(i)]);
    return order;
  }

  /// The i-th most popular expert of the layer before leads to the i-th of this one, so that following keeps the
  /// skew.
  std::vector<ExpertId> successors_of(const std::vector<ExpertId>& order, std::int64_t layer) const {
    std::vector<ExpertId> successors(order.size());
    if (layer > 0)
      for (std::size_t i = 0; i < order.size(); ++i) successors[index(orders_.back()[i])] = order[i];
    return successors;
  }

  Settings settings_;
  ExpertShape shape_{};
  std::optional<ExpertDraws> draws_{};
  std::vector<std::vector<double>> weights_{};                       // by layer and expert
  std::vector<std::vector<ExpertId>> orders_{};                      // by layer: the most popular first
  std::vector<std::vector<ExpertId>> successors_{};                  // by layer and expert of the layer before
  std::unordered_map<std::size_t, std::vector<ExpertId>> before_{};  // by request; never walked
};

[[maybe_unused]] const bool added = Registry<ExpertRouting>::add<SyntheticRouting>(
    "synthetic", "Zipf skew, repeats from token to token, correlation from layer to layer");

}  // namespace
}  // namespace servecast
