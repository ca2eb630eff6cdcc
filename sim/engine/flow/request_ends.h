#pragma once
#include <cstdint>
#include <vector>

#include "sim/engine/flow/flow_parts.h"
#include "sim/engine/gateway/gateway.h"

namespace servecast {

class Arrivals;
class Recorder;
class RunClock;

/// What becomes of requests that have ended: their records, and the next turns of their clients.
class RequestEnds final : public Gateway::Callbacks {
 public:
  RequestEnds(Scenario& scenario, Recorder& recorder, RunClock& clock, Arrivals& arrivals, const FlowParts& parts);

  /// A request has come to a pool, or a copy of one to a replica. Its end will be reported.
  void began() { ++in_pools_; }
  std::int64_t in_pools() const { return in_pools_; }
  /// It has ended where it was, perhaps at this very instant.
  void done(const Request& request, const RequestRecord& record);
  /// It ends at this instant without having reached a replica.
  void turn_away(const Request& request, RequestStatus status);
  /// Clients whose requests ended at this instant go on, by the time at which they know and then by request: clients
  /// share what they draw, and the order in which replicas were brought here must not tell.
  void ask_next() {
    if (!known_.empty()) ask_all();
  }
  /// The run is cut off while it is on its way.
  void abandon(const Request& request);

 private:
  void send_call(const Request& call) override;
  void answered(const Request& original, const RequestRecord& record, const GatewayRecord& gateway,
                double now_s) override;
  void finish(const RequestRecord& record);
  void follow_up(const Request& request, const RequestRecord& record, double earliest_s);
  void ask_all();

  Scenario& scenario_;
  Recorder& recorder_;
  RunClock& clock_;
  Arrivals& arrivals_;
  const FlowParts& parts_;
  std::int64_t in_pools_ = 0;
  struct Known {
    double at_s = 0;
    Request request{};
  };
  std::vector<Known> known_{};  // whose clients have not gone on yet
};

}  // namespace servecast
