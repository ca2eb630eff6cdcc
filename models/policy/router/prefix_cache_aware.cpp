// Router "prefix_cache_aware": to the replica that was sent the longest beginning of this prompt before, unless the
// load is uneven.
//
// The router asks no replica what is cached: it keeps a radix tree of what it sent to each (models/policy/prefix/
// prefix_index.h) and takes that for the cache. In this order:
//   load uneven (most - least > balance_abs_threshold, and most > balance_rel_threshold x least): fewest requests;
//   matched share of the prompt above cache_threshold: the replica of the longest match;
//   else: the replica with the smallest tree, which has most room in its cache.
// Load is the number of requests waiting or running. Good where many prompts share few beginnings. The tree forgets
// by its own size, not when a replica does, so a cache much smaller than the tree is misjudged.
//
// SGLang router v0.4 (cache_aware policy); thresholds of that version. It counts characters, here tokens count.
#include <algorithm>
#include <cmath>

#include "models/policy/prefix/prefix_index.h"
#include "models/policy/prefix/serving_replicas.h"
#include "models/policy/router.h"

namespace servecast {
namespace {

class PrefixCacheAware final : public Router {
 public:
  struct Settings {
    double cache_threshold = 0.5;
    std::int64_t balance_abs_threshold = 32;
    double balance_rel_threshold = 1.0001;
    double eviction_interval_s = 60;
    std::int64_t max_tree_tokens = std::int64_t{1} << 24;
    void fields(Fields& f) {
      f.field("cache_threshold", cache_threshold, "matched share of a prompt above which the match decides",
              fraction);
      f.field("balance_abs_threshold", balance_abs_threshold,
              "requests that the busiest replica may have more than the idlest");
      f.field("balance_rel_threshold", balance_rel_threshold, "and how many times as many", at_least_one);
      f.field("eviction_interval_s", eviction_interval_s, "trees are cut back this often", positive);
      f.field("max_tree_tokens", max_tree_tokens, "to so many tokens per replica, least recently used leaves first",
              at_least_one);
    }
  };
  explicit PrefixCacheAware(const Settings& settings) : settings_(settings) {}

  bool reads_kv() const override { return false; }
  std::optional<Route> pick(const Request& request, const ReplicaViews& replicas, Rng&) override {
    if (serving_.follow(replicas, [&](ReplicaId gone) { sent_.evict(index(gone), 0); })) sent_.grow(serving_.room());
    cut_back(request.arrival_s);
    const ReplicaId picked = choose(request, replicas);
    sent_.insert(request, index(picked));
    return picked;
  }

 private:
  ReplicaId choose(const Request& request, const ReplicaViews& replicas) const {
    const auto load = [&](std::size_t i) { return replicas[i].waiting_requests + replicas[i].running_requests; };
    const std::size_t idlest = least_position(replicas, load);
    const std::size_t busiest = least_position(replicas, [&](std::size_t i) { return -load(i); });
    if (uneven(load(idlest), load(busiest))) return replicas[idlest].id;
    const PrefixIndex::Match match = sent_.longest(request);
    if (static_cast<double>(match.tokens) > settings_.cache_threshold * static_cast<double>(request.prompt_tokens))
      return ReplicaId(match.replica);
    const auto sent = [&](std::size_t i) { return sent_.tokens(index(replicas[i].id)); };
    return replicas[least_position(replicas, sent)].id;
  }

  bool uneven(std::int64_t least, std::int64_t most) const {
    return most - least > settings_.balance_abs_threshold &&
           static_cast<double>(most) > settings_.balance_rel_threshold * static_cast<double>(least);
  }

  void cut_back(double now_s) {
    if (now_s < cut_back_s_ + settings_.eviction_interval_s) return;
    cut_back_s_ = std::floor(now_s / settings_.eviction_interval_s) * settings_.eviction_interval_s;
    for (std::size_t i = 0; i < sent_.size(); ++i) sent_.evict(i, settings_.max_tree_tokens);
  }

  Settings settings_;
  PrefixIndex sent_{0};         // by ReplicaId
  ServingReplicas serving_;
  double cut_back_s_ = 0;
};

[[maybe_unused]] const bool added = Registry<Router>::add<PrefixCacheAware>(
    "prefix_cache_aware",
    "the replica that was sent the longest beginning of the prompt before, while load is even (SGLang)");

}  // namespace
}  // namespace servecast
