#pragma once
#include <cstdint>
#include <vector>

#include "models/policy/expert_routing.h"

namespace servecast {

/// Which experts several models have in common that were made from one base model and share everything else. Each
/// model numbers a layer's experts as the base does. Across models, the base's come first and then those that a model
/// has of its own: fine-tuned from the base's expert of the same number, as after expert-specialised fine-tuning
/// (ESFT, arXiv 2407.01906). A model may lack some of the base's: it was pruned (arXiv 2402.14800).
class SharedExperts {
 public:
  /// The base alone.
  explicit SharedExperts(const ExpertShape& base = {});

  /// [layer * experts + expert] of the base; as many tuned ones in each layer.
  struct Model {
    std::vector<bool> kept{};
    std::vector<bool> tuned{};
  };
  void add(const Model& model);

  std::size_t models() const { return of_.size(); }
  std::size_t all() const { return all_; }  // different experts of a layer
  std::size_t own(std::size_t model) const { return own_[model]; }
  bool has(std::size_t model, std::size_t layer, ExpertId expert) const {
    return index(of_[model][at(layer, expert)]) != absent;
  }
  /// Across models; requires has().
  ExpertId of(std::size_t model, std::size_t layer, ExpertId expert) const { return of_[model][at(layer, expert)]; }
  /// The base's number of an expert across models, which it is or was tuned from.
  ExpertId base(std::size_t layer, ExpertId expert) const {
    const std::size_t own = index(expert);
    return own < each_ ? expert : tuned_from_[layer][own - each_];
  }
  bool tuned(ExpertId expert) const { return index(expert) >= each_; }

 private:
  static constexpr std::size_t absent = 0xffff;
  std::size_t at(std::size_t layer, ExpertId expert) const { return layer * each_ + index(expert); }

  std::size_t layers_;
  std::size_t each_;
  std::size_t all_;
  std::vector<std::size_t> own_{};                   // by model, in a layer
  std::vector<std::vector<ExpertId>> of_{};          // by model: [layer * each + expert]
  std::vector<std::vector<ExpertId>> tuned_from_{};  // by layer, in the order of their numbers
};

/// The `count` most used experts of each layer, of those that are `among` (empty: all); at a tie the first ones.
/// [layer * experts + expert], as `uses` is.
std::vector<bool> most_used(const std::vector<std::uint64_t>& uses, const ExpertShape& shape, std::int64_t count,
                            const std::vector<bool>& among = {});

}  // namespace servecast
