// Expert prefetch "co_activation": the experts that most often followed on this layer's experts so far.
//
// Learns while it serves, from pairs of experts of neighbouring layers, and needs no gate: MoE-Infinity's activation
// tracing in its simplest form. As many are named as this layer has asked for. Blind before it has seen anything, and
// for large batches, where all experts follow on all.
#include <algorithm>

#include "models/policy/expert_prefetch.h"

namespace servecast {
namespace {

class CoActivation final : public ExpertPrefetch {
 public:
  struct Settings {
    void fields(Fields&) {}
  };
  explicit CoActivation(const Settings&) {}

  void resize(const ExpertShape& shape) override {
    experts_ = static_cast<std::size_t>(shape.experts);
    pairs_.assign(static_cast<std::size_t>(shape.layers) * experts_ * experts_, 0);
    uses_.assign(static_cast<std::size_t>(shape.layers) * experts_, 0);
  }

  std::vector<ExpertId> predict(const LayerView& view, Rng&) override {
    std::vector<double> score(experts_, 0);
    for (const ExpertId from : view.here) {
      const std::size_t row = static_cast<std::size_t>(view.layer) * experts_ + index(from);
      for (std::size_t to = 0; to < experts_ && uses_[row] > 0; ++to)
        score[to] += static_cast<double>(pairs_[row * experts_ + to]) / static_cast<double>(uses_[row]);
    }
    std::vector<ExpertId> best;
    for (std::size_t to = 0; to < experts_; ++to)
      if (score[to] > 0) best.push_back(ExpertId{static_cast<std::uint16_t>(to)});
    std::ranges::stable_sort(best, std::greater<>(), [&](ExpertId expert) { return score[index(expert)]; });
    if (best.size() > view.here.size()) best.resize(view.here.size());
    learn(view);
    return best;
  }

 private:
  /// What it predicts is decided by then: the engine learns of `coming` when the next layer has begun.
  void learn(const LayerView& view) {
    for (const ExpertId from : view.here) {
      const std::size_t row = static_cast<std::size_t>(view.layer) * experts_ + index(from);
      uses_[row] += 1;
      for (const ExpertId to : view.coming) ++pairs_[row * experts_ + index(to)];
    }
  }

  std::size_t experts_ = 0;
  std::vector<std::uint64_t> pairs_{};  // by layer, expert of the layer before and expert
  std::vector<std::uint64_t> uses_{};   // by layer and expert of the layer before
};

[[maybe_unused]] const bool added = Registry<ExpertPrefetch>::add<CoActivation>(
    "co_activation", "what most often followed on this layer's experts so far");

}  // namespace
}  // namespace servecast
