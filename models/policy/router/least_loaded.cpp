// Router "least_loaded": send each request to the replica with the least work in tokens.
//
// Work is the prompt tokens still to compute plus a price for each running sequence, which slows the steps that the
// newcomer shares. Good when request sizes differ a lot. Ties go to the lowest replica id, so a run repeats exactly.
#include "models/policy/router.h"

namespace servecast {
namespace {

class LeastLoaded final : public Router {
 public:
  struct Settings {
    double running_weight_tokens = 64;
    void fields(Fields& f) {
      f.field("running_weight_tokens", running_weight_tokens, "prompt tokens that one running sequence counts for");
    }
  };
  explicit LeastLoaded(const Settings& settings) : settings_(settings) {}

  bool reads_kv() const override { return false; }
  std::optional<Route> pick(const Request&, const ReplicaViews& replicas, Rng&) override {
    return least_.of(replicas, [this](const ReplicaView& r) { return load(r); });
  }

 private:
  double load(const ReplicaView& r) const {
    return static_cast<double>(r.waiting_tokens) +
           settings_.running_weight_tokens * static_cast<double>(r.running_requests);
  }
  Settings settings_;
  LeastReplica<double> least_;
};

[[maybe_unused]] const bool added =
    Registry<Router>::add<LeastLoaded>("least_loaded", "fewest tokens to compute and sequences running");

}  // namespace
}  // namespace servecast
