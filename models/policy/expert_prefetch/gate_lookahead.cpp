// Expert prefetch "gate_lookahead": the next layer's gate, applied to this layer's input.
//
// Hidden states change little from layer to layer, so the guess is mostly right: 80 to 90 % of what is needed
// (Mixtral-offloading, arXiv 2312.17238, as reported). Each needed expert is predicted with probability `recall`; for
// each that is not, the gate names another one, which is loaded in vain.
#include "models/policy/expert_prefetch.h"

namespace servecast {
namespace {

class GateLookahead final : public ExpertPrefetch {
 public:
  struct Settings {
    double recall = 0.85;
    void fields(Fields& f) {
      f.field("recall", recall, "share of the needed experts that it names; the middle of what was reported",
              fraction);
    }
  };
  explicit GateLookahead(const Settings& settings) : settings_(settings) {}
  void resize(const ExpertShape& shape) override { named_.resize(static_cast<std::size_t>(shape.experts)); }

  std::vector<ExpertId> predict(const LayerView& view, Rng& rng) override {
    named_.assign(named_.size(), false);
    for (const ExpertId expert : view.coming) named_[index(expert)] = true;
    std::vector<ExpertId> guess;
    for (const ExpertId expert : view.coming) {
      if (rng.uniform() < settings_.recall)
        guess.push_back(expert);
      else if (const auto other = any_not_named(rng))
        guess.push_back(*other);
    }
    return guess;
  }

 private:
  std::optional<ExpertId> any_not_named(Rng& rng) {
    const std::uint64_t begin = rng.below(named_.size());
    for (std::size_t i = 0; i < named_.size(); ++i) {
      const std::size_t at = (begin + i) % named_.size();
      if (named_[at]) continue;
      named_[at] = true;
      return ExpertId{static_cast<std::uint16_t>(at)};
    }
    return std::nullopt;
  }

  Settings settings_;
  std::vector<bool> named_{};  // by expert: needed, or guessed instead of one that is
};

[[maybe_unused]] const bool added = Registry<ExpertPrefetch>::add<GateLookahead>(
    "gate_lookahead", "the next layer's gate on this layer's input: right as often as `recall` says");

}  // namespace
}  // namespace servecast
