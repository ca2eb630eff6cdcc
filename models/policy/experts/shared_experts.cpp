#include "models/policy/experts/shared_experts.h"

#include <algorithm>
#include <numeric>

namespace servecast {

SharedExperts::SharedExperts(const ExpertShape& base)
    : layers_(static_cast<std::size_t>(base.layers)),
      each_(static_cast<std::size_t>(base.experts)),
      all_(each_),
      tuned_from_(layers_) {
  add({.kept = std::vector(layers_ * each_, true), .tuned = std::vector(layers_ * each_, false)});
}

void SharedExperts::add(const Model& model) {
  std::vector<ExpertId>& of = of_.emplace_back(layers_ * each_, ExpertId{absent});
  for (std::size_t layer = 0; layer < layers_; ++layer)
    for (std::size_t e = 0; e < each_; ++e) {
      const ExpertId expert{static_cast<std::uint16_t>(e)};
      const std::size_t place = at(layer, expert);
      if (!model.kept[place]) continue;
      of[place] = expert;
      if (!model.tuned[place]) continue;
      of[place] = ExpertId{static_cast<std::uint16_t>(each_ + tuned_from_[layer].size())};
      tuned_from_[layer].push_back(expert);
    }
  const std::size_t before = all_;
  all_ = each_ + (layers_ > 0 ? tuned_from_[0].size() : 0);
  own_.push_back(all_ - before);
}

std::vector<bool> most_used(const std::vector<std::uint64_t>& uses, const ExpertShape& shape, std::int64_t count,
                            const std::vector<bool>& among) {
  const auto each = static_cast<std::size_t>(shape.experts);
  std::vector<bool> chosen(uses.size(), false);
  for (std::size_t first = 0; first < uses.size(); first += each) {
    std::vector<std::size_t> order;
    for (std::size_t at = first; at < first + each; ++at)
      if (among.empty() || among[at]) order.push_back(at);
    std::ranges::stable_sort(order, std::ranges::greater{}, [&](std::size_t at) { return uses[at]; });
    for (std::size_t i = 0; i < std::min(order.size(), static_cast<std::size_t>(count)); ++i) chosen[order[i]] = true;
  }
  return chosen;
}

}  // namespace servecast
