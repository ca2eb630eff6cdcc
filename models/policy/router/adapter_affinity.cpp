// Router "adapter_affinity": send a request to a replica whose GPUs hold its LoRA adapter; of these to the one with
// the fewest requests, ties to the lowest id.
//
// Saves loads where there are more adapters than one replica has slots. Where those that hold it have
// `spread_requests` more than the least busy replica, that one serves it and loads the adapter: a popular one gets
// copies. Requests without an adapter go to the least busy replica. Looks at every replica for every request.
#include "models/policy/router.h"

namespace servecast {
namespace {

class AdapterAffinity final : public Router {
 public:
  struct Settings {
    std::int64_t spread_requests = 8;
    void fields(Fields& f) {
      f.field("spread_requests", spread_requests,
              "a replica without the adapter takes the request when it has so many requests fewer", at_least_one);
    }
  };
  explicit AdapterAffinity(const Settings& settings) : settings_(settings) {}

  std::optional<Route> pick(const Request& request, const ReplicaViews& replicas, Rng&) override {
    const auto requests = [&](std::size_t i) { return replicas[i].waiting_requests + replicas[i].running_requests; };
    const std::size_t idle = least_position(replicas, requests);
    if (request.adapter == AdapterId{}) return replicas[idle].id;
    std::optional<std::size_t> best;
    for (std::size_t i = 0; i < replicas.size(); ++i)
      if (replicas.probe().holds_adapter(request.adapter, i) && (!best || requests(i) < requests(*best))) best = i;
    if (!best || requests(*best) - requests(idle) >= settings_.spread_requests) return replicas[idle].id;
    return replicas[*best].id;
  }

 private:
  Settings settings_;
};

[[maybe_unused]] const bool added =
    Registry<Router>::add<AdapterAffinity>("adapter_affinity", "replicas that hold the request's LoRA adapter first");

}  // namespace
}  // namespace servecast
