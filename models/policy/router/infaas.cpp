// Router "infaas": smallest share of KV memory in use, waiting prompts counted as if they held theirs.
//
// "INFaaS++", what Llumnix is compared with: INFaaS (ATC 2021) balances load by the GPU's own measure, which for LLMs
// is memory, and was made to see the queue's demand, too. Like "least_kv", but a burst does not all go to one
// replica. Blind to how many requests share the memory, which is what "llumnix" divides by.
#include "models/base/counts.h"
#include "models/policy/router.h"

namespace servecast {
namespace {

class Infaas final : public Router {
 public:
  struct Settings {
    void fields(Fields&) {}
  };
  explicit Infaas(const Settings&) {}

  std::optional<Route> pick(const Request&, const ReplicaViews& replicas, Rng&) override {
    const std::int64_t block = replicas.probe().block_tokens();
    return least_.of(replicas, [block](const ReplicaView& r) {
      const std::int64_t wanted = divided_up(r.waiting_tokens, block);
      return static_cast<double>(r.used_blocks + wanted) / static_cast<double>(r.total_blocks);
    });
  }

 private:
  LeastReplica<double> least_;
};

[[maybe_unused]] const bool added =
    Registry<Router>::add<Infaas>("infaas", "smallest share of KV memory in use or waited for");

}  // namespace
}  // namespace servecast
