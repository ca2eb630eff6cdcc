// Router "emptiest": sends each request to the replica with the most free KV blocks.
//
// Good where long prompts fill the KV cache before anything else does. Blind to waiting requests that hold no blocks
// yet, unless `waiting_request_blocks` says how many each will take. Ties go to the lowest replica id, so a run
// repeats exactly.
#include "models/policy/router.h"

namespace servecast {
namespace {

class Emptiest final : public Router {
 public:
  struct Settings {
    double waiting_request_blocks = 0;
    void fields(Fields& f) {
      f.field("waiting_request_blocks", waiting_request_blocks, "KV blocks that a waiting request counts for");
    }
  };
  explicit Emptiest(const Settings& settings) : settings_(settings) {}

  std::optional<Route> pick(const Request&, const ReplicaViews& replicas, Rng&) override {
    return least_.of(replicas, [this](const ReplicaView& replica) {
      return static_cast<double>(replica.used_blocks - replica.total_blocks) +
             settings_.waiting_request_blocks * static_cast<double>(replica.waiting_requests);
    });
  }

 private:
  Settings settings_;
  LeastReplica<double> least_;
};

[[maybe_unused]] const bool added = Registry<Router>::add<Emptiest>("emptiest", "most free KV blocks wins");

}  // namespace
}  // namespace servecast
