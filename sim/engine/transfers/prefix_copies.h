#pragma once
#include <map>
#include <optional>
#include <queue>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "sim/engine/cluster/cluster_listener.h"
#include "sim/engine/cluster/pool_routing.h"
#include "sim/engine/links/kv_routes.h"

namespace servecast {

class Flows;

/// A request that waits for the beginning of its prompt to be copied to its replica.
struct PrefixCopy {
  double since_s = 0;
  double due_s = 0;
  Request request{};
  Serve serve = Serve::whole;
  Destination to{};
};

/// KV of prompts' beginnings on its way to the replicas that their requests go to.
class PrefixCopies final : public ClusterListener {
 public:
  explicit PrefixCopies(Flows& flows) : flows_(flows) {}
  /// Over the links between replicas, which others may use as well; until then as if links were free.
  void connect(const Scenario& scenario, const Wiring& wiring) { routes_.emplace(scenario, wiring, "kv_copy"); }

  void start(PrefixCopy copy, double now_s);
  double next_s() const;
  /// Some are there, or will be at a time that is known.
  bool any_due() const { return !there_.empty(); }
  /// The next one that is there, or whose client does not wait for it any longer.
  std::optional<PrefixCopy> take_due(double now_s);
  /// The run is: all that are under way are due.
  void cut_short();
  void relocated(const ReplicaAt&, double) override { routes_->forget_routes(); }

 private:
  struct Later {
    bool operator()(const PrefixCopy& a, const PrefixCopy& b) const {
      return std::tie(a.due_s, a.request.id) > std::tie(b.due_s, b.request.id);
    }
  };
  void done(RequestId id, double end_s);

  Flows& flows_;
  std::optional<KvRoutes> routes_{};
  std::priority_queue<PrefixCopy, std::vector<PrefixCopy>, Later> there_{};
  std::map<RequestId, PrefixCopy> by_flows_{};         // while these are under way
  std::set<std::pair<double, RequestId>> give_ups_{};  // of those whose clients do not wait for ever
};

}  // namespace servecast
