#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "models/hw/kv_shards.h"
#include "models/policy/placement.h"
#include "sim/engine/flows.h"
#include "sim/engine/roles.h"
#include "sim/engine/wiring.h"
#include "sim/report/recorder.h"
#include "sim/serving/replica.h"

namespace servecast {

/// A replica of the cluster.
struct ReplicaAt {
  std::size_t pool = 0;
  std::size_t replica = 0;
  auto operator<=>(const ReplicaAt&) const = default;
};

/// What hand-overs need of the replicas.
class ReplicaAccess {
 public:
  virtual ~ReplicaAccess() = default;
  /// The pool's router picks.
  virtual ReplicaAt route(std::size_t pool, const Request& request, double now_s) = 0;
  /// All of the pool brought up to `now_s`.
  virtual void advance_pool(std::size_t pool, double now_s) = 0;
  virtual const Replica& replica(const ReplicaAt& at) const = 0;
  /// Brought up to `now_s`; changed() once something was done to it.
  virtual Replica& advanced(const ReplicaAt& at, double now_s) = 0;
  virtual void changed(const ReplicaAt& at) = 0;
};

/// Requests whose prompts one replica computes and that go on on another: who goes where, and the way of their KV.
/// Rules: Placement.
///
/// Within one instant: steps end; what they have computed is handed over (settle); flows end; chunks that are to
/// leave now do (act_due); requests arrive (begin); steps start; KV for which there is room now is fetched (settle);
/// flows begin. In each of these, requests take turns by their ids.
class HandOvers {
 public:
  HandOvers(const Scenario& scenario, const Wiring& wiring, Flows& flows, Recorder& recorder,
            ReplicaAccess& replicas);
  ~HandOvers();

  /// What the replica that computes the prompt is to do, and the request as it shall see it. Nothing where the
  /// request could never be decoded.
  struct Start {
    Serve serve = Serve::whole;
    Request request{};
    std::optional<ReplicaAt> to{};  // where the pool's router is not asked
  };
  std::optional<Start> begin(const Request& request, double now_s);
  /// The router has sent it there.
  void begun(RequestId id, const ReplicaAt& at);

  // What replicas tell, any time within an instant:
  void prompt_done(Slot place, const MovingSequence& sequence, double now_s);
  void chunk_launched(const PromptChunk& chunk);
  void prompt_restarts(RequestId id, double now_s);
  void import_has_room(RequestId id, Slot place, std::int64_t cached_tokens);
  /// Its record is out. Gives the request as it came where it was not handed over yet.
  std::optional<Request> request_done(RequestId id);

  void settle(double now_s);
  /// When chunks next leave.
  double next_s() const;
  /// When the load of a pool whose replicas take sides is next looked at. Nobody need come for that alone.
  double next_check_s() const;
  void act_due(double now_s);

 private:
  struct HandOver;
  struct Route {  // from a replica to another
    std::vector<KvShard> shards{};
    std::vector<Transfer> transfers{};  // without bytes
  };
  struct PoolRules {
    std::unique_ptr<Placement> placement{};
    std::size_t decode_pool = 0;  // perhaps itself: where its replicas take sides
    std::optional<Roles> roles{};
  };
  struct ChunkDue {  // so many tokens of a prompt can have left by then; none: it starts over
    double at_s = 0;
    RequestId request{};
    double tokens = 0;
    bool operator<(const ChunkDue& other) const {
      return std::tie(at_s, request, tokens) < std::tie(other.at_s, other.request, other.tokens);
    }
  };
  const Route& route(const ReplicaAt& from, const ReplicaAt& to);
  void settle(RequestId id, double now_s);
  void hand_over(HandOver& h, double now_s);
  void reserve(HandOver& h, double now_s);
  void start_over(HandOver& h, double now_s);
  void send(HandOver& h, double up_to_tokens, double at_s);
  void sent(RequestId id, double now_s);
  void complete(HandOver& h, double now_s);
  void forget(RequestId id, double now_s);
  ReplicaAt pick(std::size_t pool, const Request& request, bool prefill, double now_s);
  void check_roles(double now_s);
  void send_due(double now_s);

  const Scenario& scenario_;
  const Wiring& wiring_;
  Flows& flows_;
  Recorder& recorder_;
  ReplicaAccess& replicas_;
  std::vector<PoolRules> rules_;  // by pool
  std::map<RequestId, HandOver> under_way_;
  std::set<RequestId> unsettled_;  // something happened to these in this instant
  std::set<ChunkDue> chunks_;
  std::map<std::pair<ReplicaAt, ReplicaAt>, Route> routes_;
};

}  // namespace servecast
