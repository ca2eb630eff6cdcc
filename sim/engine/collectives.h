#pragma once
#include <cstdint>
#include <vector>

#include "sim/engine/flows.h"
#include "sim/engine/replica_access.h"
#include "sim/serving/replica_setup.h"

namespace servecast {

class Dispatcher;
class Wiring;
struct Pool;
struct Scenario;

/// What the steps of replicas over several nodes send between these nodes. It repeats every step, so as long as
/// nobody else uses its links it is part of the step's time and no flow (HOUSE rules, 2.5). Where another flow
/// crosses one of them, or two such replicas share one, every step's traffic is a group of flows that shares its
/// links max-min with the others, and the step ends when the last of them has.
///
/// A group: every GPU sends to the GPU of its own place in another node, so that each port sends and receives the
/// same. Tensor parallelism: to the next node, as a ring over rails does. Expert parallelism: GPUs of different
/// places to nodes at different distances, which stands for everybody sending to everybody.
class Collectives final : public CollectiveLinks, public FlowWatcher {
 public:
  /// Watches the dispatcher's flows from now on.
  Collectives(const Scenario& scenario, const Wiring& wiring, Dispatcher& dispatcher);

  void send(PoolId pool, ReplicaId replica, double at_s, double alone_s) override;
  void begins(const Transfer& transfer, double now_s) override;
  void ended(const Transfer& transfer, double now_s) override;

 private:
  struct Group {
    ReplicaAt at{};
    std::vector<Transfer> transfers{};  // without bytes
    double s_per_byte = 0;              // while nobody else uses the links
    std::int64_t crossing = 0;          // times that other flows cross its links now
  };
  void add(const Pool& pool, const ReplicaAt& at);
  void cross_each_other();
  template <class Do>
  void for_each_crossed(const Transfer& transfer, Do&& act);

  const Wiring& wiring_;
  Dispatcher& dispatcher_;
  std::vector<Group> groups_{};
  std::vector<std::size_t> group_of_{};                  // by ReplicaId; no_group
  std::vector<std::vector<std::size_t>> users_by_link_;  // groups
};

/// Whether any replica has them.
bool has_collectives(const Scenario& scenario);

}  // namespace servecast
