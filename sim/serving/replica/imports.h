#pragma once
#include <optional>
#include <vector>

#include "sim/serving/state/replica_core.h"

namespace servecast {

/// Sequences that come to a replica from others. The caller has advanced the replica to `now_s`, exactly.
class Imports {
 public:
  explicit Imports(ReplicaCore& core) : core_(core) {}

  /// One will come: counted with those that run.
  void expect() { expected_ += 1; }
  /// Those that come and do not decode yet.
  std::int64_t expected() const { return expected_; }
  /// Some of them wait for blocks.
  bool want_room() const { return !wanting_room_.empty(); }
  /// Takes blocks for so many tokens of one before it comes, where there is room for it right away. It is then to be
  /// brought to the place returned.
  std::optional<Slot> reserve(const Request& request, std::int64_t tokens, double now_s);
  /// An expected sequence comes: to its place where it has one; else it waits for blocks, and import_has_room()
  /// reports when it has them.
  Slot bring(const MovingSequence& sequence, std::optional<Slot> place, double now_s);
  /// Of one that has its blocks but has not come: takes more of them. False, and nothing changes, without room.
  bool extend(Slot slot, std::int64_t tokens, double now_s);
  /// Of one that has its blocks: leading tokens whose KV was here before it.
  std::int64_t cached_tokens(Slot slot) const { return core_.book[slot].imported_cached_tokens; }
  /// All its KV is here: it decodes from the next step on. With how long it took, where it came with its prompt
  /// just computed.
  void kv_received(Slot slot, std::optional<double> hand_over_s, double now_s);
  /// It does not come after all.
  void cancel(std::optional<Slot> place, double now_s);
  /// The KV of a sequence is lost on its way. What it had got so far; nothing where its client has given up.
  std::optional<MovingSequence> recall(Slot slot, double now_s, ReplicaListener& listener);

  // The replica's own calls:
  void find_room(ReplicaListener& listener);
  /// Of those whose KV was received, as many as may run. The others wait for a sequence to finish.
  void join(Lane& lane, ReplicaListener& listener);
  /// Its client has given up.
  void given_up(Slot slot);
  void drop(Slot slot);

 private:
  bool someone_comes_back() const;
  bool hold(Sequence& s);

  ReplicaCore& core_;
  std::int64_t expected_ = 0;
  std::int64_t blocks_ = 0;           // that they hold already
  std::vector<Slot> wanting_room_{};  // in order, those that wait for blocks
};

}  // namespace servecast
