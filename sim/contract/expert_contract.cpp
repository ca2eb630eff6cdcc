// What every policy for experts keeps: routing, cache, prefetch, and what becomes of misses.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "models/policy/expert_cache.h"
#include "models/policy/expert_miss.h"
#include "models/policy/expert_prefetch.h"
#include "models/policy/expert_routing.h"
#include "models/policy/experts/expert_slots.h"
#include "sim/contract/checks.h"
#include "sim/contract/contract.h"
#include "sim/contract/made_experts.h"

namespace servecast {
namespace {

using Choices = std::vector<ExpertChoice>;

constexpr auto layer_count = static_cast<std::size_t>(shape.layers);
constexpr auto active_count = static_cast<std::size_t>(shape.active);

bool same(const Choices& a, const Choices& b) {
  return std::ranges::equal(
      a, b, [](const ExpertChoice& x, const ExpertChoice& y) { return x.expert == y.expert && x.gate == y.gate; });
}

/// What a token is given in one layer.
void sound_choices(std::span<const ExpertChoice> choices, Findings& found) {
  std::set<ExpertId> experts;
  double sum = 0;
  for (std::size_t rank = 0; rank < choices.size(); ++rank) {
    found.expect(index(choices[rank].expert) < static_cast<std::size_t>(shape.experts), "names experts of the model");
    found.expect(rank == 0 || choices[rank].gate <= choices[rank - 1].gate, "gates fall");
    experts.insert(choices[rank].expert);
    sum += choices[rank].gate;
  }
  found.expect(experts.size() == choices.size(), "names different experts in a layer");
  found.expect(std::abs(sum - 1) <= 1e-12, "gates of a layer sum to 1");
}

std::vector<ExpertId> some_experts(Rng& rng) {
  std::set<ExpertId> experts;
  for (std::uint64_t n = rng.below(8); experts.size() < n;)
    experts.insert(ExpertId{static_cast<std::uint16_t>(rng.below(16))});
  return {experts.begin(), experts.end()};
}

/// One layer of three experts for each of four tokens, as a policy sees it.
struct MissingLayer {
  Choices choices{};
  std::vector<bool> on_gpu{};
  std::vector<bool> base_on_gpu{};

  explicit MissingLayer(Rng& rng) {
    for (std::size_t e = 0; e < 16; ++e) on_gpu.push_back(rng.uniform() < 0.6);
    for (std::size_t e = 0; e < 16; ++e) base_on_gpu.push_back(rng.uniform() < 0.6);
    for (int token = 0; token < 4; ++token) {
      const auto first = static_cast<std::uint16_t>(rng.below(14));
      for (std::uint16_t i = 0; i < 3; ++i)
        choices.push_back({ExpertId{static_cast<std::uint16_t>(first + i)}, i == 0 ? 0.34 : 0.33});
    }
  }
  std::vector<ServedChoice> answer(const ExpertMiss& miss) const {
    std::vector<ServedChoice> served;
    for (const ExpertChoice& c : choices)
      served.push_back({on_gpu[index(c.expert)] ? ServedBy::gpu : ServedBy::load, c.expert});
    const MissCosts costs{.expert_bytes = 10, .load_s = 1, .host_expert_s = 0.5, .host_token_s = 0.2};
    Rng rng(1, "misses");
    miss.answer(
        {.layer = 0, .active = 3, .choices = choices, .on_gpu = on_gpu, .base_on_gpu = base_on_gpu, .costs = costs},
        rng, served);
    return served;
  }
};

}  // namespace

void expert_routing_names_different_experts(const Subject& subject, Findings& found) {
  const RoutingData data = made_data();
  const auto one = subject.make<ExpertRouting>();
  const auto other = subject.make<ExpertRouting>();
  Rng one_rng(7, "routing");
  Rng other_rng(7, "routing");
  if (!found.expect(!one->problem(shape, data), "has no problem with a model and its routing data")) return;
  one->resize(shape, data, one_rng);
  other->resize(shape, data, other_rng);
  Choices choices(layer_count * active_count);
  Choices again(choices.size());
  for (std::uint32_t token = 0; token < 200; ++token) {
    const RoutedToken at{.request = RequestId{token % 4}, .position = token / 4};
    one->route(at, one_rng, choices);
    other->route(at, other_rng, again);
    found.expect(same(choices, again), "routes the same tokens the same way");
    for (std::size_t layer = 0; layer < layer_count; ++layer)
      sound_choices(std::span(choices).subspan(layer * active_count, active_count), found);
    if (token % 50 == 49) one->forget(at.request), other->forget(at.request);
  }
}

void expert_cache_keeps_to_its_slots(const Subject& subject, Findings& found) {
  const auto policy = subject.make<ExpertCache>();
  std::vector<std::uint64_t> uses(20);
  std::iota(uses.begin(), uses.end(), 1);
  for (const std::int64_t size : {1, 3, 20}) {
    ExpertSlots slots(size, *policy, uses);
    if (policy->starts_full()) slots.fill();
    Rng rng(1, "uses");
    std::set<std::uint32_t> seen;
    for (int i = 0; i < 500; ++i) {
      const auto entry = static_cast<std::uint32_t>(rng.below(20));
      const bool held = slots.holds(CacheEntry{entry});
      found.expect(slots.use(CacheEntry{entry}, static_cast<std::uint64_t>(i + 20)) == held, "finds what it holds");
      found.expect(size < 20 || held == (policy->starts_full() || seen.contains(entry)),
                   "finds all with room for all");
      seen.insert(entry);
      std::int64_t holds = 0;
      for (std::uint32_t e = 0; e < 20; ++e) holds += slots.holds(CacheEntry{e}) ? 1 : 0;
      found.expect(holds == slots.held(), "counts what it holds");
      if (!found.expect(holds <= size, "never holds more than its slots")) return;
    }
    slots.clear();
    found.expect(slots.held() == 0, "holds nothing once it is cleared");
  }
}

void expert_prefetch_names_experts_of_the_model(const Subject& subject, Findings& found) {
  const auto one = subject.make<ExpertPrefetch>();
  const auto other = subject.make<ExpertPrefetch>();
  one->resize(shape);
  other->resize(shape);
  Rng rng(1, "sights");
  Rng one_rng(2, "guesses");
  Rng other_rng(2, "guesses");
  for (int i = 0; i < 300; ++i) {
    const auto here = some_experts(rng), coming = some_experts(rng), before = some_experts(rng);
    const LayerView view{.layer = 1 + i % 4, .here = here, .coming = coming, .before = before};
    const auto guess = one->predict(view, one_rng);
    found.expect(guess == other->predict(view, other_rng), "guesses the same for the same view");
    found.expect(std::set<ExpertId>(guess.begin(), guess.end()).size() == guess.size(), "names each expert once");
    found.expect(std::ranges::all_of(guess, [](ExpertId e) { return index(e) < 16U; }), "names experts of the model");
  }
}

void expert_miss_stands_in_only_by_what_is_there(const Subject& subject, Findings& found) {
  const auto miss = subject.make<ExpertMiss>();
  found.expect(!miss->problem(), "has no problem with its settings");
  miss->prepare(made_trace());
  Rng rng(5, "layers");
  for (int round = 0; round < 300; ++round) {
    const MissingLayer layer(rng);
    const std::vector<ServedChoice> served = layer.answer(*miss);
    for (std::size_t i = 0; i < served.size(); ++i) {
      const bool there = layer.on_gpu[index(layer.choices[i].expert)];
      const bool stands_in = served[i].by == ServedBy::buddy;
      found.expect(there == (served[i].by == ServedBy::gpu), "leaves alone what is on the GPU, and only that");
      found.expect((served[i].expert != layer.choices[i].expert) == stands_in, "changes experts only for stand-ins");
      found.expect(!stands_in || layer.on_gpu[index(served[i].expert)], "an expert that stands in is on the GPU");
      found.expect(served[i].by != ServedBy::base || layer.base_on_gpu[index(served[i].expert)],
                   "so is one that it was tuned from");
    }
    for (std::size_t token = 0; token < served.size(); token += 3) {
      const std::set<ExpertId> experts{served[token].expert, served[token + 1].expert, served[token + 2].expert};
      found.expect(experts.size() == 3U, "no expert computes a token twice");
    }
  }
}

}  // namespace servecast
