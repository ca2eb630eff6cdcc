// Router "weighted": every replica gets a score from 0 to 1 on each count, and the highest weighted sum wins.
//
//   queue    (most - own) / (most - least) by waiting requests; all equal: 1
//   running  the same by running requests
//   kv       share of KV blocks that are free
//   prefix   share of the prompt that the cache holds
//   session  1 for the replica that served the session last
// Good as a compromise that can be tuned to the traffic. Scores are relative: a queue of 1 among empty ones costs as
// much as one of 100. Ties go to the lowest replica id.
//
// Kubernetes Gateway API Inference Extension and llm-d's scheduler (queue, kv-cache-utilization, prefix-cache,
// active-request and session-affinity scorers; example weights 2, 2, 3).
#include <unordered_map>
#include <vector>

#include "models/policy/router.h"

namespace servecast {
namespace {

class Weighted final : public Router {
 public:
  struct Settings {
    double queue_weight = 2;
    double kv_weight = 2;
    double prefix_weight = 3;
    double running_weight = 0;
    double session_weight = 0;
    void fields(Fields& f) {
      f.field("queue_weight", queue_weight, "of a short queue");
      f.field("kv_weight", kv_weight, "of free KV blocks");
      f.field("prefix_weight", prefix_weight, "of a cached beginning of the prompt");
      f.field("running_weight", running_weight, "of few running requests");
      f.field("session_weight", session_weight, "of having served the session last");
    }
  };
  explicit Weighted(const Settings& settings) : settings_(settings) {}

  bool has_hops() const override { return true; }
  std::optional<std::string> problem() const override {
    const Settings& s = settings_;
    if (s.queue_weight + s.kv_weight + s.prefix_weight + s.running_weight + s.session_weight > 0) return std::nullopt;
    return "with all weights 0 every replica scores the same; give at least one of them";
  }

  std::optional<Route> pick(const Request& request, const ReplicaViews& replicas, Rng&) override {
    scores_.assign(replicas.size(), 0);
    add_spread(settings_.queue_weight, replicas, &ReplicaView::waiting_requests);
    add_spread(settings_.running_weight, replicas, &ReplicaView::running_requests);
    for (std::size_t i = 0; i < replicas.size(); ++i) scores_[i] += own_score(request, replicas, i);
    const std::size_t best = least_position(replicas, [&](std::size_t i) { return -scores_[i]; });
    if (settings_.session_weight > 0 && request.session != SessionId{})
      last_[index(request.session)] = replicas[best].id;
    return replicas[best].id;
  }

 private:
  double own_score(const Request& request, const ReplicaViews& replicas, std::size_t i) const {
    const ReplicaView& r = replicas[i];
    double score =
        settings_.kv_weight * (1 - static_cast<double>(r.used_blocks) / static_cast<double>(r.total_blocks));
    if (settings_.prefix_weight > 0)
      score += settings_.prefix_weight * static_cast<double>(replicas.probe().cached_tokens(request, i)) /
               static_cast<double>(request.prompt_tokens);
    if (settings_.session_weight > 0 && request.session != SessionId{}) {
      const auto last = last_.find(index(request.session));
      if (last != last_.end() && last->second == r.id) score += settings_.session_weight;
    }
    return score;
  }

  void add_spread(double weight, const ReplicaViews& replicas, std::int64_t ReplicaView::*count) {
    if (weight == 0) return;
    const auto at = [&](std::size_t i) { return replicas[i].*count; };
    const std::int64_t least = at(least_position(replicas, at));
    const std::int64_t most = at(least_position(replicas, [&](std::size_t i) { return -at(i); }));
    for (std::size_t i = 0; i < replicas.size(); ++i)
      scores_[i] +=
          most == least ? weight : weight * static_cast<double>(most - at(i)) / static_cast<double>(most - least);
  }

  Settings settings_;
  std::vector<double> scores_;                         // by replica
  std::unordered_map<std::size_t, ReplicaId> last_{};  // by session; looked up, never walked through
};

[[maybe_unused]] const bool added = Registry<Router>::add<Weighted>(
    "weighted", "highest weighted score of queue, KV, prefix, running, session (llm-d)");

}  // namespace
}  // namespace servecast
