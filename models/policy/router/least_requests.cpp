// Router "least_requests": send each request to the replica with the fewest requests, waiting or running.
//
// What most load balancers do ("least connections"). Blind to how long the requests are.
// Ties go to the lowest replica id, so a run repeats exactly.
#include <algorithm>

#include "models/policy/router.h"

namespace servecast {
namespace {

class LeastRequests final : public Router {
 public:
  struct Settings {
    void fields(Fields&) {}
  };
  explicit LeastRequests(const Settings&) {}

  ReplicaId pick(const Request&, std::span<const ReplicaView> replicas, Rng&) override {
    const auto requests = [](const ReplicaView& r) { return r.waiting_requests + r.running_requests; };
    return std::ranges::min_element(replicas, {}, requests)->id;
  }
};

[[maybe_unused]] const bool added =
    Registry<Router>::add<LeastRequests>("least_requests", "fewest requests waiting or running");

}  // namespace
}  // namespace servecast
