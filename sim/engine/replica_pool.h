#pragma once
#include <bit>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "models/base/rng.h"
#include "models/policy/admission.h"
#include "sim/engine/pool_answers.h"
#include "sim/serving/replica.h"

namespace servecast {

struct Node;
struct Pool;

/// Where a request goes within its pool.
struct Destination {
  std::size_t replica = 0;                 // its place in the pool
  std::int64_t copy_tokens = 0;            // leading prompt tokens that its cache gets from another replica's first
  std::size_t copy_from = 0;               // that one's place
  double copy_s = 0;                       // how long that takes while nobody else uses the links
  std::optional<std::size_t> copy_pool{};  // the pool of that replica; none: this one
};

/// The replicas of one pool, its gate, its router, and the views that these see.
class ReplicaPool {
 public:
  ReplicaPool(const Pool& pool, const KvCopy& kv_copy, PoolId id, ReplicaId first, std::uint64_t seed,
              const Node& node, bool ask_every_step);

  // Both bring the pool up to `now_s` as far as anybody looks at it.
  /// False: the gate turns it away. It looks at the pool that will decode, too, where that is another one.
  bool admits(const Request& request, ReplicaPool* decoding, double now_s, ReplicaListener& listener);
  /// The same before a computed prompt is handed over to that pool.
  bool admits_decode(const Request& request, ReplicaPool& decoding, double now_s, ReplicaListener& listener);
  /// The router's choice. None: it turns the request away.
  std::optional<Destination> pick(const Request& request, double now_s, ReplicaListener& listener);
  /// The request reaches its replica, and before it what was to be copied.
  void deliver(const Request& request, const Destination& to, Serve serve, double now_s, ReplicaListener& listener);

  /// The last instant up to `at_s` at which load is collected, if that is still to come. Earlier ones may be left
  /// out where nobody looks before `at_s`. Infinite: none.
  double next_signal_s(double at_s) const;
  /// Shows router and admission the load as it is now.
  void signal(double now_s, ReplicaListener& listener);
  bool signals() const { return signal_delay_s_ > 0; }
  /// Another pool's gate will look at this one.
  void expect_looks() { looked_at_ = true; }
  bool gate_reads_state() const { return admission_->reads_state(); }

  void advance(std::size_t i, double until_s, ReplicaListener& listener);
  void advance_all(double until_s, ReplicaListener& listener);
  /// All that arrives at this instant has arrived.
  void start(std::size_t i, ReplicaListener& listener);
  void start_all(ReplicaListener& listener);
  void set_ready(std::size_t i, double now_s, ReplicaListener& listener);
  /// What Replica is told of its transfers; `contended` comes when all that arrives at this instant has arrived.
  void connect(TransferPort& port);
  bool arrived(std::size_t i, Token token, double now_s, ReplicaListener& listener);
  void set_contended(std::size_t i, OwnTraffic traffic, bool contended, double now_s, ReplicaListener& listener);
  /// What one replica finds may be what another has written: then all are brought up to an instant together.
  bool shares_tier() const { return shared_tier_ != nullptr; }
  const SharedTier* shared_tier() const { return shared_tier_.get(); }
  void abandon(double now_s, ReplicaListener& listener);
  /// Somebody did something to a replica: its view follows.
  void refresh(std::size_t i);
  bool busy() const { return next_due_s() < Replica::infinity; }
  /// When the next step of any replica starts or ends.
  double next_due_s() const { return std::bit_cast<double>(next_due_.key(next_due_.least())); }

  // Replicas that come and go, as their lifecycle says. Routers and gates see those that serve; at first all do.
  bool anyone_serves() const { return !shown_.empty(); }
  void set_serving(std::size_t i, bool serving);
  /// It stops at `now_s` and starts over as an empty one that is not ready. Who was there, by id.
  std::vector<MovingSequence> fail(std::size_t i, double now_s, ReplicaListener& listener);
  /// The memory of its nodes is gone, and with it what it wrote to a tier that all share.
  void lose_memory(std::size_t i, double now_s);
  /// A request goes on that was begun elsewhere.
  void resume(const MovingSequence& sequence, std::size_t i, double now_s, ReplicaListener& listener);
  void set_pace(std::size_t i, const StepPace& pace, double now_s, ReplicaListener& listener);
  /// Those that have failed, as they were then.
  std::span<const Replica> former() const { return former_; }

  /// How long steps take, asked of no replica.
  PoolAnswers steps() const { return {{}, {}, pace_}; }

  std::size_t size() const { return replicas_.size(); }
  Replica& operator[](std::size_t i) { return replicas_[i]; }
  const Replica& operator[](std::size_t i) const { return replicas_[i]; }

 private:
  static constexpr std::uint32_t nowhere = std::numeric_limits<std::uint32_t>::max();
  bool shown(std::size_t i) const { return place_of_[i] != nowhere; }
  Replica make_replica(std::size_t i) const;

  const Pool& pool_;
  const Node& node_;
  PoolId id_;
  std::uint64_t seed_;
  bool ask_every_step_;
  std::unique_ptr<Router> router_;
  std::unique_ptr<Admission> admission_;
  bool looked_at_;  // by either of them
  double signal_delay_s_;
  double signalled_s_ = 0;
  PoolPace pace_;
  Rng rng_;
  std::size_t first_;
  std::unique_ptr<SharedTier> shared_tier_;
  std::vector<Replica> replicas_;
  std::vector<Replica> former_;
  std::vector<std::uint32_t> shown_;     // those that serve
  std::vector<std::uint32_t> place_of_;  // of each replica, in `shown_`; nowhere
  std::uint64_t comings_ = 0;            // changes of these
  std::vector<ReplicaView> views_;       // of `shown_`, of now, or of the last signal
  std::vector<std::uint32_t> changed_;   // views, since the router last looked
  LeastBy<std::int64_t> next_due_;  // by replica: the bits of the time, which are in the order of times from 0 on
};

}  // namespace servecast
