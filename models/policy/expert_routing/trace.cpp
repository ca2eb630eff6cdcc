// Expert routing "trace": every request goes the way of one recorded generation, token by token.
//
// Batches are composed by interleaving generations: each request takes the next one of a shuffled order and starts
// over where it is longer than the recording. Real locality and real correlation between layers; but the tokens of
// prompts go the way of decoded ones, since only those were recorded, and the model must be the recorded one.
#include <cassert>
#include <numeric>
#include <utility>

#include "models/policy/expert_routing.h"

namespace servecast {
namespace {

class TraceRouting final : public ExpertRouting {
 public:
  struct Settings {
    std::string path;
    void fields(Fields& f) {
      f.required("path", path,
                 "folder with routing_u8.bin.gz and probs_u8.bin.gz ([token][layer][rank]) and index.csv.gz, whose "
                 "column n_router_tokens holds the tokens of each generation");
    }
  };
  explicit TraceRouting(const Settings& settings) : settings_(settings) {}

  RoutingFiles files() const override { return {.trace = settings_.path}; }

  std::optional<std::string> problem(const ExpertShape& shape, const RoutingData& data) const override {
    for (const std::uint8_t expert : data.trace->experts)
      if (expert >= shape.experts)
        return "the routing trace names expert " + std::to_string(expert) + ", and the model has " +
               std::to_string(shape.experts) + " in a layer: it was recorded with another model";
    return std::nullopt;
  }

  void resize(const ExpertShape& shape, const RoutingData& data, Rng& rng) override {
    trace_ = &*data.trace;
    assert(trace_->shape == shape);
    order_.resize(static_cast<std::size_t>(trace_->generations()));
    std::iota(order_.begin(), order_.end(), 0);
    for (std::size_t i = order_.size(); i > 1; --i) std::swap(order_[i - 1], order_[rng.below(i)]);
  }

  void route(const RoutedToken& token, Rng&, std::span<ExpertChoice> choices) override {
    const std::int64_t generation = order_[index(token.request) % order_.size()];
    const std::int64_t first = trace_->first_token[static_cast<std::size_t>(generation)];
    const std::int64_t length = trace_->first_token[static_cast<std::size_t>(generation) + 1] - first;
    const std::size_t at = trace_->at(first + token.position % length, 0);
    const auto active = static_cast<std::size_t>(trace_->shape.active);
    for (std::size_t begin = 0; begin < choices.size(); begin += active) {
      double sum = 0;
      for (std::size_t i = begin; i < begin + active; ++i) sum += trace_->gates[at + i];
      for (std::size_t i = begin; i < begin + active; ++i)
        choices[i] = {.expert = ExpertId{trace_->experts[at + i]}, .gate = trace_->gates[at + i] / sum};
    }
  }

 private:
  Settings settings_;
  const RoutingTrace* trace_ = nullptr;
  std::vector<std::int64_t> order_{};
};

[[maybe_unused]] const bool added =
    Registry<ExpertRouting>::add<TraceRouting>("trace", "each request goes the way of a recorded generation");

}  // namespace
}  // namespace servecast
