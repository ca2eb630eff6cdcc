#include "models/policy/experts/routing_statistics.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "models/base/counts.h"
#include "models/base/stable_math.h"

namespace servecast {
namespace {

/// Walks a recording layer by layer.
class Describer {
 public:
  explicit Describer(const RoutingTrace& trace)
      : trace_(trace),
        experts_(static_cast<std::size_t>(trace.shape.experts)),
        active_(static_cast<std::size_t>(trace.shape.active)),
        uses_(count_uses(trace)) {}

  RoutingStatistics all(Rng& rng) {
    for (std::int64_t layer = 0; layer < trace_.shape.layers; ++layer) {
      add_load(layer);
      add_repeats(layer);
      if (layer > 0) add_successors(layer);
    }
    add_gates();
    add_batches(rng);
    return s_;
  }

 private:
  std::span<const std::uint8_t> chosen(std::int64_t token, std::int64_t layer) const {
    return std::span(trace_.experts).subspan(trace_.at(token, layer), active_);
  }
  double share(std::int64_t layer, std::size_t expert) const {  // of the layer's uses
    return static_cast<double>(uses_[static_cast<std::size_t>(layer) * experts_ + expert]) /
           real(trace_.tokens() * trace_.shape.active);
  }

  void add_load(std::int64_t layer) {
    std::vector<double> shares;
    for (std::size_t e = 0; e < experts_; ++e) shares.push_back(share(layer, e));
    std::ranges::sort(shares, std::greater<>());
    const double layers = real(trace_.shape.layers);
    s_.load_max_over_mean += shares.front() * real(trace_.shape.experts) / layers;
    double entropy = 0;
    double square = 0;
    for (const double p : shares) {
      if (p > 0) entropy -= p * stable::log(p);
      square += p * p;
    }
    s_.load_entropy_fraction += entropy / stable::log(real(trace_.shape.experts)) / layers;
    s_.top_quarter_fraction +=
        std::accumulate(shares.begin(), shares.begin() + static_cast<std::ptrdiff_t>(experts_ / 4), 0.0) / layers;
    s_.chance_repeat_fraction += square * real(trace_.shape.active) / layers;
  }

  void add_repeats(std::int64_t layer) {
    std::int64_t same = 0;
    std::int64_t seen = 0;
    for (std::size_t g = 0; g + 1 < trace_.first_token.size(); ++g)
      for (std::int64_t token = trace_.first_token[g] + 1; token < trace_.first_token[g + 1]; ++token) {
        const auto before = chosen(token - 1, layer);
        for (const std::uint8_t expert : chosen(token, layer)) same += std::ranges::count(before, expert);
        seen += trace_.shape.active;
      }
    if (seen > 0) s_.repeat_fraction += real(same) / real(seen) / real(trace_.shape.layers);
  }

  void add_successors(std::int64_t layer) {
    std::vector<std::int64_t> pairs(experts_ * experts_, 0);
    for (std::int64_t token = 0; token < trace_.tokens(); ++token)
      for (const std::uint8_t from : chosen(token, layer - 1))
        for (const std::uint8_t to : chosen(token, layer)) ++pairs[from * experts_ + to];
    const double uses = real(trace_.tokens() * trace_.shape.active * (trace_.shape.layers - 1));
    for (std::size_t from = 0; from < experts_; ++from) {
      const auto row = std::span(pairs).subspan(from * experts_, experts_);
      const auto best = std::ranges::max_element(row);
      s_.successor_fraction += real(*best) / uses;
      const auto to = static_cast<std::size_t>(best - row.begin());
      s_.chance_successor_fraction += share(layer - 1, from) *
                                      std::min(1.0, share(layer, to) * real(trace_.shape.active)) /
                                      real(trace_.shape.layers - 1);
    }
  }

  void add_gates() {
    const std::size_t places = trace_.gates.size() / active_;
    std::vector<double> entropies;
    std::vector<ExpertChoice> choices(active_);
    s_.gate_by_rank.assign(active_, 0);
    for (std::size_t place = 0; place < places; ++place) {
      double sum = 0;
      for (std::size_t i = 0; i < active_; ++i) sum += trace_.gates[place * active_ + i];
      for (std::size_t i = 0; i < active_; ++i) {
        choices[i].gate = trace_.gates[place * active_ + i] / sum;
        s_.gate_by_rank[i] += choices[i].gate / static_cast<double>(places);
      }
      entropies.push_back(token_entropy(choices));
      s_.gate_entropy_mean += entropies.back() / static_cast<double>(places);
    }
    std::ranges::sort(entropies);
    for (std::size_t i = 0; i < s_.gate_entropy_deciles.size(); ++i)
      s_.gate_entropy_deciles[i] = entropies[places * (i + 1) / 10];
  }

  void add_batches(Rng& rng) {
    constexpr std::int64_t batches = 64;
    std::vector<bool> touched(experts_);
    for (std::size_t size = 0; size < s_.distinct_by_batch.size(); ++size)
      for (std::int64_t i = 0; i < batches * trace_.shape.layers; ++i) {
        touched.assign(experts_, false);
        for (std::int64_t n = 0; n < std::int64_t{1} << size; ++n)
          for (const std::uint8_t expert :
               chosen(static_cast<std::int64_t>(rng.below(static_cast<std::uint64_t>(trace_.tokens()))), i / batches))
            touched[expert] = true;
        s_.distinct_by_batch[size] += real(std::ranges::count(touched, true)) / real(batches * trace_.shape.layers);
      }
  }

  const RoutingTrace& trace_;
  std::size_t experts_;
  std::size_t active_;
  std::vector<std::uint64_t> uses_;
  RoutingStatistics s_{};
};

}  // namespace

double token_entropy(std::span<const ExpertChoice> choices, double temperature) {
  if (choices.size() < 2) return 0;
  double sum = 0;
  double weighted = 0;  // H = log(sum) - sum(w log w) / sum, of the weights before they are renormalised
  for (const ExpertChoice& choice : choices) {
    if (choice.gate <= 0) continue;
    const double log = stable::log(choice.gate) / temperature;
    const double w = stable::exp(log);
    sum += w;
    weighted += w * log;
  }
  return (stable::log(sum) - weighted / sum) / stable::log(static_cast<double>(choices.size()));
}

std::vector<std::uint64_t> count_uses(const RoutingTrace& trace) {
  std::vector<std::uint64_t> uses(static_cast<std::size_t>(trace.shape.layers * trace.shape.experts), 0);
  for (std::int64_t token = 0; token < trace.tokens(); ++token)
    for (std::int64_t layer = 0; layer < trace.shape.layers; ++layer)
      for (std::size_t i = 0; i < static_cast<std::size_t>(trace.shape.active); ++i)
        ++uses[static_cast<std::size_t>(layer * trace.shape.experts) + trace.experts[trace.at(token, layer) + i]];
  return uses;
}

RoutingStatistics describe_routing(const RoutingTrace& trace, Rng& rng) { return Describer(trace).all(rng); }

RoutingTrace record_routing(ExpertRouting& routing, const ExpertShape& shape, std::int64_t requests,
                            std::int64_t tokens_each, Rng& rng) {
  constexpr double gate_scale = 255;
  RoutingTrace trace{.shape = shape, .first_token = {0}};
  std::vector<ExpertChoice> choices(static_cast<std::size_t>(shape.layers * shape.active));
  for (std::int64_t r = 0; r < requests; ++r) {
    const RequestId request{static_cast<std::uint32_t>(r)};
    for (std::int64_t t = 0; t < tokens_each; ++t) {
      routing.route({.request = request, .position = t}, rng, choices);
      for (const ExpertChoice& choice : choices) {
        trace.experts.push_back(static_cast<std::uint8_t>(index(choice.expert)));
        trace.gates.push_back(static_cast<std::uint8_t>(std::lround(choice.gate * gate_scale)));
      }
    }
    routing.forget(request);
    trace.first_token.push_back(trace.first_token.back() + tokens_each);
  }
  return trace;
}

}  // namespace servecast
