// Router "prefix_affinity": a prompt goes where its beginning has been sent before, until others would have its first
// token much sooner; of the replicas that are left, to the one with the fewest tokens to prefill.
//
//   sticky      replicas whose share of the prompt, by the router's own index of what it sent where (LRU of
//   lru_tokens
//               per replica), is at least affinity_threshold; where there is none, all replicas are candidates
//   saturated   the shortest backlog of sticky replicas takes more than max_extra_ttft_s longer than the shortest
//   of
//               the others, at peak_prefill_tokens_per_s: all replicas are candidates; with 0 never
//   pick        fewest tokens: the backlog, and what the index lacks of this prompt there; of several, any
// A backlog is what is left to compute of prompts that were sent and have no first token yet. Good where prompts
// share long beginnings: load moves a group of prompts only once it costs more time than its prefix saves.
//
// llm-d's guide "optimized baseline" of 2026 (prefix-cache-affinity-filter and token-load-scorer, defaults of both;
// its calibration measures peak_prefill_tokens_per_s, 15,928 for Qwen3-32B on two H100). Left out: the bound on
// tokens that are in flight, which takes the place of the time where its guide has not measured that rate.
#include <algorithm>
#include <limits>
#include <vector>

#include "models/policy/prefix/prefix_index.h"
#include "models/policy/prefix/serving_replicas.h"
#include "models/policy/router.h"

namespace servecast {
namespace {

class PrefixAffinity final : public Router {
 public:
  struct Settings {
    double affinity_threshold = 0.8;
    double max_extra_ttft_s = 18;
    double peak_prefill_tokens_per_s = 15'928;
    std::int64_t lru_tokens = 500'000;
    void fields(Fields& f) {
      f.field("affinity_threshold", affinity_threshold, "share of the prompt from which on a replica is sticky",
              fraction);
      f.field("max_extra_ttft_s", max_extra_ttft_s,
              "a sticky replica's backlog may take so much longer than another's; 0: however long it takes",
              Range{.min = 0});
      f.field("peak_prefill_tokens_per_s", peak_prefill_tokens_per_s, "at which a backlog is computed", positive);
      f.field("lru_tokens", lru_tokens, "tokens that the index remembers of each replica (31,250 blocks of 16)",
              at_least_one);
    }
  };
  explicit PrefixAffinity(const Settings& settings) : settings_(settings) {}

  bool reads_kv() const override { return false; }
  bool has_hops() const override { return true; }
  std::optional<Route> pick(const Request& request, const ReplicaViews& replicas, Rng& rng) override {
    if (serving_.follow(replicas, [&](ReplicaId gone) { sent_.evict(index(gone), 0); })) sent_.grow(serving_.room());
    sent_.matches(request, sent_tokens_);
    const bool only_sticky = stays(request, replicas);
    const ReplicaId picked = replicas[least(request, replicas, only_sticky, rng)].id;
    sent_.insert(request, index(picked));
    sent_.evict(index(picked), settings_.lru_tokens);
    return picked;
  }

 private:
  bool sticky(const Request& request, const ReplicaView& replica) const {
    return static_cast<double>(sent_tokens_[index(replica.id)]) >=
           settings_.affinity_threshold * static_cast<double>(request.prompt_tokens);
  }

  /// Whether there are sticky replicas, of which one is not saturated.
  bool stays(const Request& request, const ReplicaViews& replicas) const {
    constexpr std::int64_t none = std::numeric_limits<std::int64_t>::max();
    std::int64_t with = none;
    std::int64_t without = none;
    for (const ReplicaView& r : replicas) {
      std::int64_t& shortest = sticky(request, r) ? with : without;
      shortest = std::min(shortest, r.waiting_tokens);
    }
    if (with == none || without == none || settings_.max_extra_ttft_s == 0) return with != none;
    return static_cast<double>(with - without) <= settings_.max_extra_ttft_s * settings_.peak_prefill_tokens_per_s;
  }

  std::size_t least(const Request& request, const ReplicaViews& replicas, bool only_sticky, Rng& rng) {
    least_.clear();
    std::int64_t fewest = std::numeric_limits<std::int64_t>::max();
    for (std::size_t i = 0; i < replicas.size(); ++i) {
      if (only_sticky && !sticky(request, replicas[i])) continue;
      const std::int64_t tokens =
          replicas[i].waiting_tokens + request.prompt_tokens - sent_tokens_[index(replicas[i].id)];
      if (tokens < fewest) least_.clear();
      if (tokens <= fewest) least_.push_back(i);
      fewest = std::min(fewest, tokens);
    }
    return least_[rng.below(least_.size())];
  }

  Settings settings_;
  PrefixIndex sent_{0};                    // by ReplicaId, as the next
  std::vector<std::int64_t> sent_tokens_;  // leading tokens of this prompt
  std::vector<std::size_t> least_;
  ServingReplicas serving_;
};

[[maybe_unused]] const bool added = Registry<Router>::add<PrefixAffinity>(
    "prefix_affinity",
    "where the prompt's beginning was sent before, until that is saturated; then fewest tokens to prefill (llm-d)");

}  // namespace
}  // namespace servecast
