// Router "splitwise_jsq": join the shortest queue in tokens; where that is too long, the mixed part of the pool
// helps.
//
// Of equal queues, the one is joined where the fewest requests run. The last `mixed_fraction` of the replicas are
// kept out of it until the shortest queue of the others holds more than `max_pending_tokens` prompt tokens; then the
// shortest of theirs is joined, if it is within the limit. Otherwise the request waits in the shortest queue of all.
// Good against bursts of long prompts; what is kept back is idle without them.
//
// Splitwise, ISCA 2024, section 4 (cluster-level scheduler; limit 8,192 in its simulator). There, prompt and token
// pools lend each other the mixed machines.
#include <utility>

#include "models/policy/router.h"

namespace servecast {
namespace {

class SplitwiseJsq final : public Router {
 public:
  struct Settings {
    std::int64_t max_pending_tokens = 8192;
    double mixed_fraction = 0;
    void fields(Fields& f) {
      f.field("max_pending_tokens", max_pending_tokens,
              "prompt tokens that may be queued before mixed replicas help");
      f.field("mixed_fraction", mixed_fraction, "share of the replicas that is kept for that, rounded down",
              {.min = 0, .max = 0.99});
    }
  };
  explicit SplitwiseJsq(const Settings& settings) : settings_(settings) {}

  bool reads_kv() const override { return false; }
  std::optional<Route> pick(const Request&, const ReplicaViews& replicas, Rng&) override {
    const auto mixed = static_cast<std::size_t>(settings_.mixed_fraction * static_cast<double>(replicas.size()));
    const std::size_t own = replicas.size() - mixed;
    const std::size_t first = shortest(replicas, 0, own);
    if (mixed == 0 || within(replicas[first])) return replicas[first].id;
    const std::size_t helper = shortest(replicas, own, replicas.size());
    const bool helps = within(replicas[helper]) || replicas[helper].waiting_tokens < replicas[first].waiting_tokens;
    return replicas[helps ? helper : first].id;
  }

 private:
  bool within(const ReplicaView& r) const { return r.waiting_tokens <= settings_.max_pending_tokens; }

  /// Tokens of a prompt that is being computed are not waiting any more: a replica that has one differs from an idle
  /// one by what runs there.
  static auto load(const ReplicaView& r) { return std::pair(r.waiting_tokens, r.running_requests); }

  static std::size_t shortest(const ReplicaViews& replicas, std::size_t from, std::size_t to) {
    std::size_t best = from;
    for (std::size_t i = from + 1; i < to; ++i)
      if (load(replicas[i]) < load(replicas[best])) best = i;
    return best;
  }

  Settings settings_;
};

[[maybe_unused]] const bool added = Registry<Router>::add<SplitwiseJsq>(
    "splitwise_jsq", "shortest queue in prompt tokens; some replicas are kept for bursts");

}  // namespace
}  // namespace servecast
