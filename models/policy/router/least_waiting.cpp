// Router "least_waiting": send each request to the replica with the shortest waiting queue; running ones do not
// count.
//
// While no replica has a queue, all go to the lowest id until one forms there, so light load is uneven. The Vidur
// simulator's "lor". Ties go to the lowest replica id.
#include "models/policy/router.h"

namespace servecast {
namespace {

class LeastWaiting final : public Router {
 public:
  struct Settings {
    void fields(Fields&) {}
  };
  explicit LeastWaiting(const Settings&) {}

  bool reads_kv() const override { return false; }
  std::optional<Route> pick(const Request&, const ReplicaViews& replicas, Rng&) override {
    return least_.of(replicas, [](const ReplicaView& r) { return r.waiting_requests; });
  }

 private:
  LeastReplica<std::int64_t> least_;
};

[[maybe_unused]] const bool added =
    Registry<Router>::add<LeastWaiting>("least_waiting", "shortest waiting queue; running requests do not count");

}  // namespace
}  // namespace servecast
