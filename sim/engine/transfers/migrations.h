#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <vector>

#include "models/policy/migration.h"
#include "sim/engine/cluster/cluster_listener.h"
#include "sim/engine/links/kv_routes.h"
#include "sim/serving/replica/replica.h"

namespace servecast {

class Cluster;
class Recorder;
class Wiring;
struct Scenario;

/// Carries out the pools' Migration: sequences that decode go from replica to replica, each sending and each
/// receiving one at a time. Within one instant: flows end, and with them a stage of copying; then, where that is due,
/// replicas are paired and first stages start; then requests arrive.
class Migrations final : public ClusterListener {
 public:
  Migrations(const Scenario& scenario, const Wiring& wiring, Flows& flows, Recorder& recorder, Cluster& cluster);

  /// When a pool is next looked at: on whole multiples of Migration::check_every_s(). Idle pools are left alone; one
  /// that has done all its steps may still look busy here, and is looked at in vain.
  double next_check_s() const;
  void act_due(double now_s);
  /// A replica has stopped. Sequences whose KV was on its way from it are added to those that were there.
  void stopped(const ReplicaAt& at, std::vector<MovingSequence>& interrupted, double now_s) override;
  void settle(double now_s) override;
  void relocated(const ReplicaAt&, double) override { routes_.forget_routes(); }

 private:
  struct Rules {
    std::unique_ptr<Migration> migration{};
    bool clears_out = false;  // replicas that leave
    std::int64_t block_tokens = 1;
    double next_check_s = 0;
  };
  struct Moving {
    DecodingSequence sequence{};
    ReplicaAt to{};
    Slot place{};                   // there
    std::int64_t there_tokens = 0;  // whose KV was there before, or will be when the copy under way has ended
    double sent_tokens = 0;
    bool stopped = false;
    double stopped_s = 0;          // its last token here is computed
    std::int64_t last_tokens = 0;  // that its KV then holds,
    std::uint64_t last_batch = 0;  // and by which batch
    std::int64_t group = 0;        // of flows under way
  };
  void pair_up(std::size_t pool, double now_s);
  void clear_out(std::size_t pool, double now_s);
  bool moves_out(const ReplicaAt& at) const;
  bool takes_part(const ReplicaAt& at) const;
  void begin(const ReplicaAt& from, const ReplicaAt& to, double now_s);
  void send(const ReplicaAt& from, Moving& m, std::int64_t up_to_tokens, double at_s);
  void sent(const ReplicaAt& from, double now_s);
  void abort(const ReplicaAt& from, const Moving& m, double now_s);
  bool next_stage(const ReplicaAt& from, Moving& m, double now_s);
  void stop(const ReplicaAt& from, Moving& m, double now_s);
  void complete(const ReplicaAt& from, const Moving& m, double now_s);

  Flows& flows_;
  Recorder& recorder_;
  Cluster& cluster_;
  KvRoutes routes_;
  std::vector<Rules> rules_;               // by pool
  std::vector<std::size_t> sizes_;         // by pool
  std::map<ReplicaAt, Moving> under_way_;  // by where from
  std::set<ReplicaAt> waiting_;            // of these, whose last token here is still computed
};

/// Whether any pool has sequences moved.
bool migrates(const Scenario& scenario);

}  // namespace servecast
