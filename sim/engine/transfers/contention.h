#pragma once
#include <array>
#include <vector>

#include "sim/engine/links/flows.h"
#include "sim/engine/links/transfer_routes.h"

namespace servecast {

class Cluster;
class Wiring;
struct Pool;
struct Scenario;

/// Which replicas have the links of their own traffic (experts' loads, collectives) to themselves.
///
/// Such traffic repeats with every step, so as long as its links carry nothing else it is worked out in closed form
/// and is no flow (HOUSE rules, 2.5). This looks at every flow of another kind and tells the replicas whose links it
/// takes; those whose own traffic may bind a link that they share, with each other or between their own pipeline
/// stages, never have it to themselves. Loads and collectives of a replica go at the same time, so they share; its
/// collectives follow each other, so they do not.
///
/// Whose links these are is asked of all replicas at the latest when the first flow begins; before that only where
/// own traffic may meet itself. Ports to an NVSwitch belong to one GPU, so most runs never ask.
class Contention final : public FlowListener {
 public:
  /// Watches the flows from now on, where any replica has such traffic. These outlive it.
  Contention(const Scenario& scenario, const Wiring& wiring, const TransferRoutes& routes, Flows& flows,
             Cluster& cluster);

  /// Before anything arrives: those that never have their links to themselves.
  void mark_always_contended();
  /// A replica is on other GPUs now.
  void relocated(const ReplicaAt& at, double now_s);
  void begins(const Transfer& transfer, double now_s) override { count(transfer, 1, now_s); }
  void ended(const Transfer& transfer, double now_s) override { count(transfer, -1, now_s); }

 private:
  struct LinkUse {
    std::size_t link = 0;
    std::size_t stage = 0;
    double bytes_per_s = 0;  // the most that the traffic reaches
  };
  struct User {
    ReplicaAt replica{};
    OwnTraffic traffic{};
    std::vector<LinkUse> links{};  // that may bind, once for each of its GPUs that uses them, stage by stage
    std::int64_t others = 0;       // flows on these, of other kinds
    bool always = false;
    bool contended() const { return always || others > 0; }
  };
  void find_users();
  bool may_meet_itself(const Pool& pool) const;
  void count(const Transfer& transfer, std::int64_t change, double now_s);
  void add_others(User& user, std::int64_t change, double now_s);
  void take_links(std::size_t number);
  void find_always();

  const Scenario& scenario_;
  const Wiring& wiring_;
  const TransferRoutes& routes_;
  Cluster& cluster_;
  bool known_ = false;  // users and their links
  std::vector<User> users_{};
  std::vector<std::vector<std::size_t>> by_link_;  // users
  std::array<std::vector<std::int64_t>, all_own_traffic.size()>
      others_on_link_;  // by OwnTraffic: flows under way of other kinds
};

}  // namespace servecast
