#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <tuple>
#include <vector>

#include "models/policy/placement.h"
#include "sim/engine/cluster/cluster_listener.h"
#include "sim/engine/links/flows.h"
#include "sim/engine/links/kv_routes.h"
#include "sim/engine/links/replica_at.h"
#include "sim/engine/transfers/roles.h"
#include "sim/serving/sequences/sequence.h"

namespace servecast {

class Cluster;
class Recorder;
class Wiring;
struct MovingSequence;
struct PromptChunk;
struct Scenario;

/// Requests whose prompts one replica computes and that go on on another: which goes where, and the way of their KV.
/// Rules: Placement.
///
/// Within one instant: steps end; what they have computed is handed over (settle); flows end; chunks that are to
/// leave now do (send_due); requests arrive (begin); steps start; KV for which there is room now is fetched (settle);
/// flows begin. In each of these, requests take turns by their ids.
class HandOvers final : public ClusterListener {
 public:
  /// Where requests go on that hand-overs let go.
  class Callbacks {
   public:
    virtual ~Callbacks() = default;
    /// The pool's router picks, or turns the request away.
    virtual std::optional<ReplicaAt> route(std::size_t pool, const Request& request, double now_s) = 0;
    /// Whether the pool admits a computed prompt to be decoded there; if not, its client has heard so.
    virtual bool admits_decode(const Request& request, std::size_t decode_pool, double now_s) = 0;
    /// Its KV is ready to be handed over to a pool of which no replica serves: it waits until one does.
    virtual void wait_for(std::size_t pool, const MovingSequence& sequence, double now_s) = 0;
    /// Its KV is given up: it is computed again there.
    virtual void compute_again(const ReplicaAt& at, const MovingSequence& sequence, double now_s) = 0;
  };

  HandOvers(const Scenario& scenario, const Wiring& wiring, Flows& flows, Recorder& recorder, Cluster& cluster,
            Callbacks& callbacks);
  ~HandOvers() override;

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

  // What replicas report, any time within an instant:
  void prompt_done(Slot place, const MovingSequence& sequence, double now_s);
  void chunk_launched(const PromptChunk& chunk);
  void prompt_restarts(RequestId id, double now_s);
  void import_has_room(RequestId id, Slot place, std::int64_t cached_tokens);
  /// Its record is out. Gives the original request where it was not handed over yet.
  std::optional<Request> request_done(RequestId id);

  /// A replica has stopped. Of those that it had, requests whose prompts it computed start over; others
  /// whose KV is lost with it are added.
  void stopped(const ReplicaAt& at, std::vector<MovingSequence>& interrupted, double now_s) override;
  void relocated(const ReplicaAt&, double) override { routes_.forget_routes(); }
  /// A replica of the pool that it waits for serves now.
  void go_on(RequestId id) { unsettled_.insert(id); }
  /// The pool that decodes this request, and its replica that would now; nothing where none serves.
  std::size_t decode_pool(const Request& request) const;
  std::optional<ReplicaAt> decoder(const Request& request, double now_s);

  void settle(double now_s) override;
  /// When chunks next leave.
  double next_s() const;
  /// When the load of a pool whose replicas take sides is next evaluated. The run does not come back for that alone.
  double next_check_s() const;
  void send_due(double now_s);
  void check_roles(double now_s);

 private:
  struct HandOver;
  struct PoolRules {
    std::unique_ptr<Placement> placement{};
    TransferTerms transfers{};
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
  void settle(RequestId id, double now_s);
  bool hand_over(HandOver& h, double now_s);
  void reserve(HandOver& h, double now_s);
  void start_over(HandOver& h, double now_s);
  void send(HandOver& h, double up_to_tokens, double at_s);
  void sent(RequestId id, double now_s);
  void complete(HandOver& h, double now_s);
  void forget(RequestId id, double now_s);
  void stay(const HandOver& h, double now_s);
  void release_exported(const HandOver& h, double now_s);
  void cancel_import(const HandOver& h, double now_s);
  std::optional<ReplicaAt> pick(std::size_t pool, bool prefill, double now_s);
  void lose_sender(HandOver& h, std::vector<MovingSequence>& interrupted, double now_s);
  void lose_receiver(HandOver& h, double now_s);

  const Scenario& scenario_;
  Flows& flows_;
  Recorder& recorder_;
  Cluster& cluster_;
  Callbacks& callbacks_;
  std::vector<PoolRules> rules_;  // by pool
  std::map<RequestId, HandOver> under_way_;
  std::set<RequestId> unsettled_;  // something happened to these in this instant
  std::set<ChunkDue> chunks_;
  KvRoutes routes_;
};

/// Whether any pool hands requests over.
bool hands_over(const Scenario& scenario);

}  // namespace servecast
