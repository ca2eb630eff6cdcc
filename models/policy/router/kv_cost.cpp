// Router "kv_cost": least cost = overlap_weight x prefill blocks + decode blocks.
//
// Prefill blocks are what the replica would have to compute with this request: prompts queued there and the part of
// this one that its cache does not hold. Decode blocks are those held now. (The blocks that this request will hold
// are the same everywhere and left out.) Both are work in the same unit, so one number weighs a cache hit against
// load: above 1 for quick first tokens, below for even decoding. With a temperature, a replica is drawn with
// probability in proportion to exp(-cost / temperature), which keeps routers that do not see each other from all
// choosing the same.
//
// NVIDIA Dynamo, KV router (lib/llm/src/kv_router). Its index of cached blocks follows the engines' events.
#include <vector>

#include "models/base/stable_math.h"
#include "models/policy/router.h"

namespace servecast {
namespace {

class KvCost final : public Router {
 public:
  struct Settings {
    double overlap_weight = 1;
    double temperature = 0;
    void fields(Fields& f) {
      f.field("overlap_weight", overlap_weight, "decode blocks that one block to be computed counts for");
      f.field("temperature", temperature, "0: always the least cost; more: drawn, ever more evenly");
    }
  };
  explicit KvCost(const Settings& settings) : settings_(settings) {}

  std::optional<Route> pick(const Request& request, const ReplicaViews& replicas, Rng& rng) override {
    costs_.clear();
    for (std::size_t i = 0; i < replicas.size(); ++i) costs_.push_back(cost(request, replicas, i));
    const std::size_t least = least_position(replicas, [&](std::size_t i) { return costs_[i]; });
    return replicas[settings_.temperature > 0 ? draw(costs_[least], rng) : least].id;
  }

 private:
  double cost(const Request& request, const ReplicaViews& replicas, std::size_t i) const {
    const PoolProbe& probe = replicas.probe();
    const std::int64_t to_compute =
        replicas[i].waiting_tokens + request.prompt_tokens - probe.cached_tokens(request, i);
    const double prefill_blocks = static_cast<double>(to_compute) / static_cast<double>(probe.block_tokens());
    return settings_.overlap_weight * prefill_blocks + static_cast<double>(replicas[i].used_blocks);
  }

  /// One of them, with weights exp(-(cost - least) / temperature).
  std::size_t draw(double least, Rng& rng) {
    double all = 0;
    for (double& c : costs_) all += c = stable::exp((least - c) / settings_.temperature);
    double left = rng.uniform() * all;
    for (std::size_t i = 0; i + 1 < costs_.size(); ++i)
      if ((left -= costs_[i]) < 0) return i;
    return costs_.size() - 1;
  }

  Settings settings_;
  std::vector<double> costs_;  // then weights, by replica
};

[[maybe_unused]] const bool added =
    Registry<Router>::add<KvCost>("kv_cost", "fewest blocks to compute and blocks held, weighted (Dynamo)");

}  // namespace
}  // namespace servecast
