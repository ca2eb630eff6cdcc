#pragma once
#include <optional>
#include <queue>
#include <tuple>
#include <vector>

#include "sim/engine/flow/flow_parts.h"
#include "sim/engine/flow/tokenizers.h"
#include "sim/serving/replica/replica.h"

namespace servecast {

class Cluster;
struct Scenario;

/// Requests between the workload and the engines' queues. One passes the client's and the engine's front end before
/// it can be queued; where pools differ in that, the order of arrival at the engines is not that of the workload.
class Arrivals {
 public:
  Arrivals(Scenario& scenario, const FlowParts& parts);

  /// From a client: to the gateway, if there is one.
  void send(const Request& request);
  void send_to_pool(const Request& request);
  /// Reads the workload until no request in it can be due before what is under way.
  void read_ahead();
  /// A request has ended on which the workload's next one may have waited.
  void ask_again();
  /// Something is still to come.
  bool any_left() const { return next_ || !inbound_.empty() || !tokenizers_.empty(); }
  /// No request is due at a pool before; or at the gateway.
  double next_s() const;
  double next_anywhere_s() const;
  /// The next one that is due at a pool, in the order of ids where several are.
  std::optional<Request> take_due(double now_s, const Cluster& cluster);
  const Tokenizers& tokenizers() const { return tokenizers_; }

 private:
  struct Inbound {
    double due_s = 0;
    Request request{};
    bool operator<(const Inbound& other) const {  // the earliest on top
      return std::tie(due_s, request.id) > std::tie(other.due_s, other.request.id);
    }
  };
  Scenario& scenario_;
  const FlowParts& parts_;
  double least_inbound_s_;  // of all pools; with a gateway requests come there first
  Tokenizers tokenizers_;
  std::optional<Request> next_;
  std::priority_queue<Inbound> inbound_{};
};

}  // namespace servecast
