#pragma once
#include <limits>
#include <memory>
#include <vector>

#include "models/policy/router.h"
#include "sim/serving/replica/exports.h"
#include "sim/serving/replica/imports.h"

namespace servecast {

/// One copy of a model on its GPUs: waiting queue, running batch, KV accounting, and a clock of its own. A plain
/// state machine: callers that read it or hand it a request first advance it to that instant. Within one
/// instant, steps end first, then requests arrive, then steps start. What it does is done by its parts.
class Replica {
 public:
  explicit Replica(ReplicaSetup setup);
  Replica(Replica&&) noexcept;
  Replica& operator=(Replica&&) noexcept;
  ~Replica();

  /// Takes every step that ends at or before `until_s` or starts before it.
  void advance(double until_s, ReplicaListener& listener);
  /// A request arrives; requires that the replica has been advanced to `now_s`, exactly. Returns false, and has
  /// forgotten it, where it could never fit into the KV cache or the batcher never starts so long a prompt.
  bool enqueue(const Request& request, double now_s, ReplicaListener& listener, Serve serve = Serve::whole);
  /// The KV of the prompt's first tokens came from elsewhere: the cache keeps it like that of a prompt that was
  /// computed here, if it has room now. Requires the same of the clock.
  void adopt(const Request& request, std::int64_t tokens);
  /// All that arrives at this instant has arrived: steps may start without waiting for the next advance().
  void start(ReplicaListener& listener);
  /// No request is here, waits to come, or is on the way.
  bool empty() const;

  // Failures. The replica has been advanced to this instant, likewise.
  /// It stops where it is, and all it holds is gone. Returns what was here, by id; nothing may be asked of it any
  /// more but what it did so far.
  std::vector<MovingSequence> stop(double now_s, ReplicaListener& listener);
  /// What a replica that failed had begun goes on here: prompt and output so far are computed, and what is left is
  /// made. The clock as with enqueue().
  void resume(const MovingSequence& sequence, double now_s);
  /// Steps that start from now on go at this pace.
  void set_pace(const StepPace& pace);
  /// From now on steps may start; a replica whose weights still load starts out not ready.
  void set_ready(double now_s);
  void set_not_ready();
  /// Reports what still waits or runs when the run is cut off at `now_s`.
  void abandon(double now_s, ReplicaListener& listener);

  /// The first instant to which advance() does something: a step ends then, or has started before. Infinite when
  /// idle.
  double next_due_s() const;
  /// No awaited request can finish, and nothing start to move, before this instant unless something arrives. Infinite
  /// where none is here.
  double next_awaited_s() const;
  /// No request leaves, starts, or gets on with its prompt before this instant unless something arrives: until then
  /// the same sequences decode. Infinite when idle.
  double next_change_s() const;
  ReplicaView view() const;

  /// Over what its transfers go; before anything arrives. It outlives the replica.
  void connect(TransferPort& port);
  /// It takes another one's place: the same links, with the same others on them.
  void replaces(const Replica& before);
  /// A transfer is done. The replica has been advanced to `now_s`, exactly. Whether KV blocks were held for it.
  bool arrived(Token token, double now_s, ReplicaListener& listener);
  /// From now on others use the links of this traffic, or do so no longer. The replica has been advanced to `now_s`,
  /// and started.
  void set_contended(OwnTraffic traffic, bool contended, double now_s, ReplicaListener& listener);

  // Its parts:
  Imports& imports();
  Exports& exports();
  /// To look at.
  const ReplicaCore& core() const;

  static constexpr double infinity = std::numeric_limits<double>::infinity();

 private:
  struct Parts;
  void take_in(const Sequence& sequence, double now_s);
  bool moves_anything() const;
  double next_finish_s() const;

  std::unique_ptr<Parts> parts_;
};

}  // namespace servecast
