// Router "llmd": the scheduler of llm-d and of the Gateway API Inference Extension as its guides deploy it: each
// replica gets scores from 0 to 1, and the highest weighted sum wins; of several, any.
//
//   prefix      approximate: share of the prompt that the router has sent there before and not forgotten (its own
//               LRU of lru_tokens per replica, prefix-cache-scorer); precise: what the caches hold, from the least
//               (0) to the most (1) of all replicas (precise-prefix-cache-scorer, by KV events)
//   cpu_prefix  the same, approximate, with the capacity of host memory (the guide for tiered prefix caches)
//   queue       (most - own) / (most - least) by waiting requests; all equal: 1 (queue-scorer)
//   kv          share of KV blocks that are free (kv-cache-utilization-scorer)
//   load        0.5 x (1 - waiting / load_threshold), from 0 (load-aware-scorer)
//   no_hit      where no replica has any of the prompt, the longer ago a replica was sent such a prompt, the more,
//               from 0 to 1; else 0.5 for all (no-hit-lru-scorer)
// Weights are those of the guide for optimised baselines (2, 2, 3 and 2). Queues and KV use are scraped: every 50 ms
// there (the pool's signal_delay_s). Between two scrapes all requests follow the same old news, while a router's own
// index knows at once, so a hot prefix draws one replica full before its queue shows. Left out: the bound on matched
// blocks (256) and its coarser hash blocks.
#include <algorithm>
#include <cmath>
#include <vector>

#include "models/policy/prefix/prefix_index.h"
#include "models/policy/prefix/serving_replicas.h"
#include "models/policy/router.h"

namespace servecast {
namespace {

class Llmd final : public Router {
 public:
  struct Settings {
    std::string prefix = "approximate";
    double prefix_weight = 3;
    double cpu_prefix_weight = 0;
    double queue_weight = 2;
    double kv_weight = 2;
    double load_weight = 0;
    double no_hit_weight = 2;
    std::int64_t lru_tokens = 500'000;
    std::int64_t cpu_lru_tokens = 656'000;
    std::int64_t load_threshold = 128;
    void fields(Fields& f) {
      f.field("prefix", prefix,
              "approximate: what the router has sent where; precise: what the caches hold, as their events tell",
              {"approximate", "precise"});
      f.field("prefix_weight", prefix_weight, "of a beginning of the prompt that is there");
      f.field("cpu_prefix_weight", cpu_prefix_weight,
              "of one that is in host memory below the GPUs, by an index of cpu_lru_tokens");
      f.field("queue_weight", queue_weight, "of a short queue");
      f.field("kv_weight", kv_weight, "of free KV blocks");
      f.field("load_weight", load_weight, "of a queue below load_threshold");
      f.field("no_hit_weight", no_hit_weight, "of not having been sent a new prompt for long, for new prompts");
      f.field("lru_tokens", lru_tokens, "tokens that the index remembers of each replica (31,250 blocks of 16)",
              at_least_one);
      f.field("cpu_lru_tokens", cpu_lru_tokens, "likewise, of its host memory (41,000 blocks of 16)", at_least_one);
      f.field("load_threshold", load_threshold, "waiting requests from which on the score of load is 0",
              at_least_one);
    }
  };
  explicit Llmd(const Settings& settings) : settings_(settings) {}

  bool has_hops() const override { return true; }
  std::optional<std::string> problem() const override {
    const Settings& s = settings_;
    if (s.prefix_weight + s.cpu_prefix_weight + s.queue_weight + s.kv_weight + s.load_weight + s.no_hit_weight > 0)
      return std::nullopt;
    return "with all weights 0 every replica scores the same; give at least one of them";
  }

  std::optional<Route> pick(const Request& request, const ReplicaViews& replicas, Rng& rng) override {
    follow(replicas);
    scores_.assign(replicas.size(), 0);
    const bool hit = add_prefixes(request, replicas);
    add_queues(replicas);
    if (settings_.no_hit_weight > 0) add_no_hit(replicas, hit);
    const ReplicaId picked = replicas[best(rng)].id;
    remember(request, picked, hit);
    return picked;
  }

 private:
  void follow(const ReplicaViews& replicas) {
    const auto forget = [&](ReplicaId gone) {
      for (PrefixIndex* sent : {&sent_, &cpu_sent_}) sent->evict(index(gone), 0);
    };
    if (!serving_.follow(replicas, forget)) return;
    for (PrefixIndex* sent : {&sent_, &cpu_sent_}) sent->grow(serving_.room());
    last_new_.resize(std::max(last_new_.size(), serving_.room()));
  }

  /// Whether any replica has some of the prompt.
  bool add_prefixes(const Request& request, const ReplicaViews& replicas) {
    const bool hit = settings_.prefix == "precise" ? add_precise(request, replicas)
                                                   : add_sent(settings_.prefix_weight, sent_, request, replicas);
    if (settings_.cpu_prefix_weight == 0) return hit;
    return add_sent(settings_.cpu_prefix_weight, cpu_sent_, request, replicas) || hit;
  }

  bool add_sent(double weight, const PrefixIndex& sent, const Request& request, const ReplicaViews& replicas) {
    sent.matches(request, tokens_);
    bool hit = false;
    for (std::size_t i = 0; i < replicas.size(); ++i) {
      const std::int64_t tokens = tokens_[index(replicas[i].id)];
      hit |= tokens > 0;
      scores_[i] += weight * static_cast<double>(tokens) / static_cast<double>(request.prompt_tokens);
    }
    return hit;
  }

  bool add_precise(const Request& request, const ReplicaViews& replicas) {
    tokens_.assign(replicas.size(), 0);
    for (std::size_t i = 0; i < replicas.size(); ++i) tokens_[i] = replicas.probe().cached_tokens(request, i);
    const auto [least, most] = std::ranges::minmax(tokens_);
    if (most == 0) return false;
    for (std::size_t i = 0; i < replicas.size(); ++i)
      scores_[i] += settings_.prefix_weight *
                    (most == least ? 1 : static_cast<double>(tokens_[i] - least) / static_cast<double>(most - least));
    return true;
  }

  void add_queues(const ReplicaViews& replicas) {
    const auto [least, most] = std::ranges::minmax(replicas, {}, &ReplicaView::waiting_requests);
    const auto spread = static_cast<double>(most.waiting_requests - least.waiting_requests);
    for (std::size_t i = 0; i < replicas.size(); ++i) {
      const ReplicaView& r = replicas[i];
      const auto waiting = static_cast<double>(r.waiting_requests);
      const double shorter = spread == 0 ? 1 : (static_cast<double>(most.waiting_requests) - waiting) / spread;
      const double below = 1 - waiting / static_cast<double>(settings_.load_threshold);
      scores_[i] +=
          settings_.queue_weight * shorter + settings_.load_weight * 0.5 * std::max(0.0, below) +
          settings_.kv_weight * (1 - static_cast<double>(r.used_blocks) / static_cast<double>(r.total_blocks));
    }
  }

  /// The replica that was sent a new prompt last gets 0, the one before it more, one that never was 1.
  void add_no_hit(const ReplicaViews& replicas, bool hit) {
    if (hit) return;  // the same for all
    order_.clear();
    for (const ReplicaView& r : replicas) order_.push_back(last_new_[index(r.id)]);
    std::ranges::sort(order_);
    for (std::size_t i = 0; i < replicas.size(); ++i) {
      const std::uint64_t own = last_new_[index(replicas[i].id)];
      const auto later = order_.end() - std::ranges::upper_bound(order_, own);
      const double others = std::max(1.0, static_cast<double>(replicas.size()) - 1);
      scores_[i] += settings_.no_hit_weight * (own == 0 ? 1 : static_cast<double>(later) / others);
    }
  }

  /// Any of those with the highest score.
  std::size_t best(Rng& rng) const {
    const double most = *std::ranges::max_element(scores_);
    std::uint64_t nth = rng.below(static_cast<std::uint64_t>(std::ranges::count(scores_, most)));
    for (std::size_t i = 0;; ++i)
      if (scores_[i] == most && nth-- == 0) return i;
  }

  void remember(const Request& request, ReplicaId to, bool hit) {
    if (!hit) last_new_[index(to)] = ++new_prompts_;
    if (settings_.prefix == "approximate") {
      sent_.insert(request, index(to));
      sent_.evict(index(to), settings_.lru_tokens);
    }
    if (settings_.cpu_prefix_weight == 0) return;
    cpu_sent_.insert(request, index(to));
    cpu_sent_.evict(index(to), settings_.cpu_lru_tokens);
  }

  Settings settings_;
  PrefixIndex sent_{0};  // by ReplicaId, as the following
  PrefixIndex cpu_sent_{0};
  std::vector<std::uint64_t> last_new_;  // count of new prompts when it was sent one last; 0: never
  std::vector<std::uint64_t> order_;     // of these, of the replicas that serve
  std::uint64_t new_prompts_ = 0;
  ServingReplicas serving_;
  std::vector<double> scores_;
  std::vector<std::int64_t> tokens_;
};

[[maybe_unused]] const bool added = Registry<Router>::add<Llmd>(
    "llmd", "llm-d's scorers: prefixes sent or cached, queue, KV use, load, new prompts in turn");

}  // namespace
}  // namespace servecast
