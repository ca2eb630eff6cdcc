#pragma once
#include <vector>

#include "sim/serving/replica/lane_removals.h"

namespace servecast {

/// The Batch that a batcher fills: carries its decisions out on the replica's books.
class BatchBuilder final : public Batch {
 public:
  struct Parts {
    KvFetches& fetches;
    Swapping& swapping;
    LaneRemovals& removals;
  };
  BatchBuilder(ReplicaCore& core, Lane& lane, const Parts& parts, ReplicaListener& listener)
      : core_(core), book_(core.book), lane_(lane), batch_(lane.batch()), parts_(parts), listener_(listener) {}

  std::int64_t lanes() const override { return static_cast<std::int64_t>(core_.pipeline.count()); }
  std::int64_t lane() const override { return static_cast<std::int64_t>(lane_.number) % lanes(); }
  std::int64_t ranks() const override { return core_.setup.ranks; }
  std::int64_t running() const override { return book_.sums().running_sequences; }
  std::int64_t decoding() const override { return lane_.decodes.sequences(); }
  std::int64_t prefilling() const override { return static_cast<std::int64_t>(lane_.prefilling.size()); }
  PrefillView prefill(std::int64_t i) const override;
  bool has_waiting() const override {
    return book_.admits() && core_.lanes.takes_prompts(lane_) && parts_.fetches.front_may_be_admitted();
  }
  PrefillView waiting() const override;
  std::int64_t waiting_tokens() const override;
  std::int64_t waiting_requests() const override { return static_cast<std::int64_t>(core_.setup.queue->size()); }
  std::int64_t waiting_cached() const override;
  std::int64_t free_tokens() const override;
  OutputSums outputs(std::int64_t most) const override;
  std::int64_t decode_steps() const override;

  using Batch::admit;
  using Batch::decode_all;
  std::int64_t decode_all(const DecodeRules& rules) override;
  std::int64_t continue_prefill(std::int64_t i, std::int64_t tokens) override;
  std::optional<std::int64_t> admit(std::int64_t tokens, const AdmitRules& rules) override;
  void pad_prompts() override;
  std::int64_t preempted() const override { return batch_.preempted; }
  std::int64_t draft_tokens() const override { return batch_.work.draft_tokens; }

 private:
  KvCache& cache() const { return core_.cache(); }
  Speculator* speculator() const { return core_.setup.speculator.get(); }
  void make_room(const DecodeRules& rules);
  Slot first_to_preempt(const std::vector<Slot>& decoding, bool fewest_outputs = false) const;
  void choose_drafts();
  void check_drafts();
  void add_padding();
  void run(Slot slot, std::int64_t cached_tokens, bool arrival_order);
  void add_chunk(Slot slot, std::int64_t tokens);
  void add_work(const Sequence& s, std::int64_t tokens);
  PrefillView view(Slot slot) const;

  ReplicaCore& core_;
  SequenceBook& book_;
  Lane& lane_;
  FilledBatch& batch_;
  Parts parts_;
  ReplicaListener& listener_;
};

}  // namespace servecast
