#pragma once
#include <map>

#include "sim/engine/cluster/replica_lifecycle.h"

namespace servecast {

class Flows;
class Wiring;
struct Transfer;

/// What a replica loads before its engine starts: its container image, if that is not there, then one flow per GPU
/// with its share of the weights, all at once from shared storage.
class WeightLoads final : public ReplicaLifecycle::Loads {
 public:
  WeightLoads(const Scenario& scenario, const Wiring& wiring, Flows& flows)
      : scenario_(scenario), wiring_(wiring), flows_(flows) {}

  void start(const ReplicaAt& at, double now_s, std::function<void(double now_s)> loaded) override;
  void cancel(const ReplicaAt& at, double now_s) override;
  double image_s(const ReplicaAt& at) const override { return image_s_.at(at); }

 private:
  Transfer image(const ReplicaAt& at) const;
  std::vector<Transfer> weights(const ReplicaAt& at) const;

  const Scenario& scenario_;
  const Wiring& wiring_;
  Flows& flows_;
  std::map<ReplicaAt, std::int64_t> groups_;  // of flows, of each replica's latest load
  std::map<ReplicaAt, double> image_s_;       // likewise
};

}  // namespace servecast
