// Router "least_requests": send each request to the replica with the fewest requests, waiting or running.
//
// What most load balancers do ("least connections"). Blind to how long the requests are.
// Ties go to the lowest replica id, so a run repeats exactly.
#include "models/policy/router.h"

namespace servecast {
namespace {

class LeastRequests final : public Router {
 public:
  struct Settings {
    void fields(Fields&) {}
  };
  explicit LeastRequests(const Settings&) {}

  bool reads_kv() const override { return false; }
  std::optional<Route> pick(const Request&, const ReplicaViews& replicas, Rng&) override {
    return least_.of(replicas, [](const ReplicaView& r) { return r.waiting_requests + r.running_requests; });
  }

 private:
  LeastReplica<std::int64_t> least_;
};

[[maybe_unused]] const bool added =
    Registry<Router>::add<LeastRequests>("least_requests", "fewest requests waiting or running");

}  // namespace
}  // namespace servecast
