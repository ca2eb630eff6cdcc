// Expert routing "popularity": experts are drawn as often as they were counted, and where pairs of layers were
// counted too, an expert follows on one of an earlier layer as often as it did there.
//
// A layer that was not counted takes the counts of the nearest one that was. Where the counted layer changes
// from one layer to the next and that pair was counted, the expert of each rank is drawn from the row of the expert
// of that rank one layer before; elsewhere from the layer's own counts. Knows nothing of time: two tokens of a
// request have no more in common than any two, so a cache fares worse than with a recorded trace.
#include <algorithm>
#include <cstdlib>

#include "models/policy/experts/expert_draws.h"

namespace servecast {
namespace {

class PopularityRouting final : public ExpertRouting {
 public:
  struct Settings {
    std::string counts;
    std::string co_activation;
    std::string model;
    std::string domain;
    double gate_spread = 0.34;
    void fields(Fields& f) {
      f.required("counts", counts, "table (CSV, plain or gzip) with the columns layer, expert and count");
      f.field(
          "co_activation", co_activation,
          "table with the columns layer_i, expert_i, layer_j, expert_j and count; left out: layers are independent");
      f.field("model", model, "only rows with this in their column 'model'; left out: the tables hold one model");
      f.field("domain", domain, "only rows with this in their column 'domain'; left out: all rows, summed");
      f.field("gate_spread", gate_spread, "how far gates lie apart, see `synthetic`", positive);
    }
  };
  explicit PopularityRouting(const Settings& settings) : settings_(settings) {}

  RoutingFiles files() const override {
    return {.counts = settings_.counts,
            .co_activation = settings_.co_activation,
            .model = settings_.model,
            .domain = settings_.domain};
  }

  std::optional<std::string> problem(const ExpertShape& shape, const RoutingData& data) const override {
    if (data.counts->layers.empty()) return "the table has no rows for that model and domain";
    for (const ExpertCounts::Layer& layer : data.counts->layers)
      if (static_cast<std::int64_t>(layer.counts.size()) > shape.experts)
        return "layer " + std::to_string(layer.layer) + " of the table has " + std::to_string(layer.counts.size()) +
               " experts, and the model " + std::to_string(shape.experts);
    return std::nullopt;
  }

  void resize(const ExpertShape& shape, const RoutingData& data, Rng&) override {
    shape_ = shape;
    draws_.emplace(shape.experts);
    for (std::int64_t layer = 0; layer < shape.layers; ++layer) {
      const ExpertCounts::Layer& near = nearest(*data.counts, layer);
      counts_.push_back(near.counts);
      counts_.back().resize(static_cast<std::size_t>(shape.experts), 0);
      rows_.push_back(nullptr);
      for (const ExpertCounts::Pair& pair : data.counts->pairs)
        if (layer > 0 && pair.from == nearest(*data.counts, layer - 1).layer && pair.to == near.layer)
          rows_.back() = &pair.counts;
    }
  }

  void route(const RoutedToken&, Rng& rng, std::span<ExpertChoice> choices) override {
    const auto active = static_cast<std::size_t>(shape_.active);
    const auto experts = static_cast<std::size_t>(shape_.experts);
    for (std::size_t layer = 0; layer < counts_.size(); ++layer) {
      draws_->clear();
      const std::span<ExpertChoice> here = choices.subspan(layer * active, active);
      for (std::size_t rank = 0; rank < active; ++rank) {
        std::span<const double> weights = counts_[layer];
        if (rows_[layer]) {
          const std::size_t before = index(choices[(layer - 1) * active + rank].expert);
          weights = std::span(*rows_[layer]).subspan(before * experts, experts);
        }
        draws_->draw(weights, rng);
        here[rank].expert = draws_->all().back();
      }
      draw_gates(settings_.gate_spread, rng, here);
    }
  }

 private:
  static const ExpertCounts::Layer& nearest(const ExpertCounts& counts, std::int64_t layer) {
    return *std::ranges::min_element(counts.layers, {},
                                     [&](const ExpertCounts::Layer& l) { return std::abs(l.layer - layer); });
  }

  Settings settings_;
  ExpertShape shape_{};
  std::optional<ExpertDraws> draws_{};
  std::vector<std::vector<double>> counts_{};       // by layer and expert
  std::vector<const std::vector<double>*> rows_{};  // by layer: of pairs with the layer before; none: not counted
};

[[maybe_unused]] const bool added = Registry<ExpertRouting>::add<PopularityRouting>(
    "popularity", "drawn as often as counted, layer after layer as often as counted together");

}  // namespace
}  // namespace servecast
