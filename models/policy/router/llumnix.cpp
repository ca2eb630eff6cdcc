// Router "llumnix": most freeness = (free blocks - blocks that waiting prompts will take) / requests.
//
// Freeness is about how many more steps the replica's requests can decode before memory runs short, since each takes
// one token per step. What a waiting request will need counts as used already (its virtual usage), so a long prompt
// that does not fit yet repels others. Good where memory is short and lengths vary: fewer preemptions than by
// counting requests. Prefers, at equal memory, replicas with few requests. Requests that run are moved by the pool's
// migration "llumnix".
//
// Llumnix, OSDI 2024, section 4.4 (dispatch metric "remaining_steps" of its code).
#include "models/policy/shared/freeness.h"

namespace servecast {
namespace {

class Llumnix final : public Router {
 public:
  struct Settings {
    void fields(Fields&) {}
  };
  explicit Llumnix(const Settings&) {}

  std::optional<Route> pick(const Request&, const ReplicaViews& replicas, Rng&) override {
    const std::int64_t block = replicas.probe().block_tokens();
    return least_.of(replicas, [block](const ReplicaView& r) { return -freeness(r, block); });
  }

 private:
  LeastReplica<double> least_;
};

[[maybe_unused]] const bool added =
    Registry<Router>::add<Llumnix>("llumnix", "most free KV blocks per request, waiting prompts counted as held");

}  // namespace
}  // namespace servecast
