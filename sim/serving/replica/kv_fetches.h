#pragma once
#include <vector>

#include "sim/serving/state/replica_core.h"

namespace servecast {

/// How a request gets what tiers below the GPU's memory hold of its prompt: blocks are taken first, then a fetch
/// fills them while the request waits, then it is admitted as if the GPU had had it all along.
///
/// A request whose turn comes during the fetch is put aside and lets others pass, as in vLLM
/// (WAITING_FOR_REMOTE_KVS). Blocks in the hands of a request that waits are the first to be given up: what they hold
/// stays in the cache while it can. What is computed or leaves the GPU goes the other way (KvTiers). Without tiers
/// it does nothing.
class KvFetches {
 public:
  explicit KvFetches(ReplicaCore& core) : core_(core), tiers_(core.setup.tiers.get()), rules_(core.setup.fetch) {}

  /// It has come to the queue.
  void arrived(Slot slot);
  /// For some requests tiers are still to be probed, when there is room for a fetch.
  bool any_unprobed() const { return unprobed_ > 0; }
  /// Is there a request at the front of the queue that need not wait for a fetch, or for room to make one?
  bool front_may_be_admitted();
  /// Of those that were fetched and still wait, the last but `keeper` gives back its blocks: whatever of them is
  /// still there when its turn comes is found as usual, the rest is computed. False: there is none.
  bool give_up_blocks(Slot keeper);
  /// It runs with the blocks that were fetched for it.
  void admitted(Slot slot) { std::erase(fetched_, slot); }
  /// The batch computes behind what is fetched for it, layer by layer.
  void await_layers(FilledBatch& batch) {
    if (rules_.layers > 0) await_all(batch);
  }
  /// A fetch is done: the lane whose batch has waited for it, if one has.
  std::optional<std::uint16_t> ended(Slot slot);
  /// Its client gave up while it waited. Blocks into which a fetch writes stay taken until it is done.
  void forget(Slot slot);
  /// The batch that is launched computes what tiers may take, and its end hands it to them.
  void note(FilledBatch& batch) {
    if (tiers_) batch.computed = tiers_->take_computed();
  }
  void write(const FilledBatch& batch);

 private:
  void await_all(FilledBatch& batch);
  void probe_tiers(Slot slot);
  void begin(Slot slot, const TierHits& hits, std::int64_t tokens);
  void take(Slot slot);
  std::int64_t worth_fetching(const Request& request, const TierHits& hits) const;
  double prefill_s(std::int64_t from_tokens, std::int64_t to_tokens) const;
  double in_turn_s(double fetch_s, double compute_s) const;

  ReplicaCore& core_;
  KvTiers* tiers_;
  const FetchRules& rules_;
  std::int64_t unprobed_ = 0;    // requests that wait
  std::vector<Slot> fetched_{};  // they wait with blocks in hand; the first to be fetched in front
};

}  // namespace servecast
