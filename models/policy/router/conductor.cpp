// Router "conductor": least expected time to first token, where a prefix may be fetched from another replica's cache.
//
// For every replica: time to copy + time of the prompts queued there + time of this prompt. If some replica holds a
// beginning more than `balancing_threshold` times as long as this one does, that beginning would be copied from
// there; else the local one is used. Where a copy wins, the prefix is in two caches afterwards: hot prefixes spread
// by themselves. Where not even the best replica keeps the bounds, the client gets HTTP 429.
//
// Good for long prompts that share beginnings. Costs a look at every replica per request. The queue is what the
// router itself expected of the prompts it sent there, computed one by one and alone: right where replicas only
// prefill, too hopeful beside many decodes. A copy is taken to have its links for itself.
//
// Mooncake, FAST 2025, algorithm 1 (KVCache-centric scheduling). The threshold's value is not published. Where
// several replicas hold the longest prefix it is copied from the lowest of them.
#include <algorithm>
#include <vector>

#include "models/policy/router.h"

namespace servecast {
namespace {

class Conductor final : public Router {
 public:
  struct Settings {
    double balancing_threshold = 2;
    bool transfer = true;
    std::optional<double> ttft_slo_s{};
    std::optional<double> tbt_slo_s{};
    void fields(Fields& f) {
      f.field("balancing_threshold", balancing_threshold,
              "a prefix elsewhere that is more than so many times as long is copied", at_least_one);
      f.field("transfer", transfer, "false: every replica uses its own cache only");
      f.field("ttft_slo_s", ttft_slo_s, "requests expected to wait longer are turned away; left out: none", positive);
      f.field("tbt_slo_s", tbt_slo_s, "likewise by the step time of the replica's decodes; left out: none", positive);
    }
  };
  explicit Conductor(const Settings& settings) : settings_(settings) {}

  bool only_picks() const override { return false; }
  std::optional<Route> pick(const Request& request, const ReplicaViews& replicas, Rng&) override {
    busy_until_s_.resize(std::max(busy_until_s_.size(), index(replicas[replicas.size() - 1].id) + 1));
    const Holder holder = longest_prefix(request, replicas);
    Plan best = plan(request, replicas, 0, holder);
    for (std::size_t i = 1; i < replicas.size(); ++i) {
      const Plan other = plan(request, replicas, i, holder);
      if (other.ttft_s < best.ttft_s) best = other;
    }
    if (settings_.ttft_slo_s && best.ttft_s > *settings_.ttft_slo_s) return std::nullopt;
    const ReplicaView& there = replicas[best.replica];
    if (settings_.tbt_slo_s && decode_step_s(request, there, replicas.probe()) > *settings_.tbt_slo_s)
      return std::nullopt;
    busy_until_s_[index(there.id)] = request.arrival_s + best.ttft_s;
    if (best.copy_tokens == 0) return there.id;
    return Route(there.id, replicas[holder.replica].id, best.copy_tokens);
  }

 private:
  struct Holder {
    std::size_t replica = 0;
    std::int64_t tokens = 0;
  };
  struct Plan {
    std::size_t replica = 0;
    double ttft_s = 0;
    std::int64_t copy_tokens = 0;
  };

  /// Once the request decodes there, too.
  static double decode_step_s(const Request& request, const ReplicaView& r, const PoolProbe& probe) {
    return probe.decode_step_s(r.running_requests + 1, r.used_blocks * probe.block_tokens() + request.prompt_tokens);
  }

  static Holder longest_prefix(const Request& request, const ReplicaViews& replicas) {
    Holder best;
    for (std::size_t i = 0; i < replicas.size(); ++i) {
      const std::int64_t tokens = replicas.probe().cached_tokens(request, i);
      if (tokens > best.tokens) best = {.replica = i, .tokens = tokens};
    }
    return best;
  }

  Plan plan(const Request& request, const ReplicaViews& replicas, std::size_t i, const Holder& holder) const {
    const PoolProbe& probe = replicas.probe();
    const std::int64_t here = probe.cached_tokens(request, i);
    const bool copy = settings_.transfer &&
                      static_cast<double>(holder.tokens) > settings_.balancing_threshold * static_cast<double>(here);
    const double queue_s = std::max(0.0, busy_until_s_[index(replicas[i].id)] - request.arrival_s);
    if (!copy) return {.replica = i, .ttft_s = queue_s + probe.prefill_s(request.prompt_tokens, here)};
    const double copy_s = probe.copy_s(holder.replica, i, holder.tokens - here);
    return {.replica = i,
            .ttft_s = copy_s + queue_s + probe.prefill_s(request.prompt_tokens, holder.tokens),
            .copy_tokens = holder.tokens};
  }

  Settings settings_;
  std::vector<double> busy_until_s_;  // by ReplicaId: when the prompts sent there should be done
};

[[maybe_unused]] const bool added = Registry<Router>::add<Conductor>(
    "conductor", "least expected time to first token, prefixes copied between caches (Mooncake)");

}  // namespace
}  // namespace servecast
