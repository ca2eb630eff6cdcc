// Router "least_kv": send each request to the replica with the smallest share of its KV cache in use.
//
// Good when memory is what runs out first: long contexts, small GPUs. Blind to prompts that wait and hold nothing
// yet, so a burst all goes to one replica; those are counted where shares are equal, and then the lowest id wins.
#include <tuple>

#include "models/policy/router.h"

namespace servecast {
namespace {

class LeastKv final : public Router {
 public:
  struct Settings {
    void fields(Fields&) {}
  };
  explicit LeastKv(const Settings&) {}

  std::optional<Route> pick(const Request&, const ReplicaViews& replicas, Rng&) override {
    const auto use = [](const ReplicaView& r) {
      return std::tuple(static_cast<double>(r.used_blocks) / static_cast<double>(r.total_blocks), r.waiting_tokens);
    };
    return least_.of(replicas, use);
  }

 private:
  LeastReplica<std::tuple<double, std::int64_t>> least_;
};

[[maybe_unused]] const bool added = Registry<Router>::add<LeastKv>("least_kv", "smallest share of KV cache in use");

}  // namespace
}  // namespace servecast
