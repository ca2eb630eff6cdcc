#pragma once
#include <cstdint>
#include <vector>

#include "sim/engine/flows.h"
#include "sim/serving/replica_setup.h"

namespace servecast {

class Dispatcher;
class Wiring;
struct Scenario;

/// Loads of experts while others use the same links: as flows. While nobody does, replicas work out their own loads;
/// this looks at every flow of another kind and tells the replicas whose links it takes. Replicas whose loads
/// together are more than a link between them carries share their links all the time.
class ExpertLoads final : public ExpertLinks, public FlowWatcher {
 public:
  /// These outlive it.
  ExpertLoads(const Scenario& scenario, const Wiring& wiring, Dispatcher& dispatcher);

  /// Some pool has experts elsewhere; otherwise nobody need watch.
  bool any() const { return !users_.empty(); }
  /// Before anything arrives: those that share their links all the time.
  void tell_always_shared();

  void load(PoolId pool, ReplicaId to, const ExpertLoad& load, double now_s) override;
  void begins(const Transfer& transfer, double now_s) override;
  void ended(const Transfer& transfer, double now_s) override;

 private:
  struct User {
    std::size_t pool = 0;
    std::size_t replica = 0;  // of the pool
    std::int64_t others = 0;  // flows on its links
    bool always = false;
  };
  std::vector<Transfer> transfers(const User& user, const ExpertLoad& load) const;
  void find_always_shared();
  std::vector<std::size_t> users_of(const Transfer& transfer) const;

  const Scenario& scenario_;
  const Wiring& wiring_;
  Dispatcher& dispatcher_;
  std::vector<std::size_t> first_;  // by pool: the number of its first replica
  std::vector<User> users_{};
  std::vector<std::vector<std::size_t>> by_link_;  // users
};

}  // namespace servecast
