#pragma once
#include <vector>

#include "sim/serving/replica/replica.h"

namespace servecast {

/// The Batch that a batcher fills: carries its decisions out on the replica's books.
class BatchBuilder final : public Batch {
 public:
  BatchBuilder(Replica& replica, Lane& lane, ReplicaListener& listener)
      : replica_(replica), lane_(lane), listener_(listener) {}

  std::int64_t lanes() const override { return static_cast<std::int64_t>(replica_.stages_.count()); }
  std::int64_t lane() const override { return index() % lanes(); }
  std::int64_t running() const override { return replica_.running_sequences_; }
  std::int64_t decoding() const override { return lane_.decodes.sequences(); }
  std::int64_t prefilling() const override { return static_cast<std::int64_t>(lane_.prefilling.size()); }
  PrefillView prefill(std::int64_t i) const override;
  bool has_waiting() const override {
    const bool admits = !replica_.admissions_wait_ || replica_.running_ == 0;
    return admits && replica_.takes_prompts(lane_) && replica_.swapped_ == 0 && replica_.waiting_ > 0 &&
           (!replica_.setup_.tiers || replica_.front_may_be_admitted());
  }
  PrefillView waiting() const override;

  using Batch::admit;
  using Batch::decode_all;
  std::int64_t decode_all(const DecodeRules& rules) override;
  std::int64_t continue_prefill(std::int64_t i, std::int64_t tokens) override;
  std::optional<std::int64_t> admit(std::int64_t tokens, const AdmitRules& rules) override;
  void pad_prompts() override;
  std::int64_t preempted() const override { return lane_.batch().preempted; }
  std::int64_t draft_tokens() const override { return lane_.batch().work.draft_tokens; }

 private:
  std::int64_t index() const { return &lane_ - replica_.lanes_.data(); }
  KvCache& cache() const { return *replica_.setup_.kv_cache; }
  void make_room(const DecodeRules& rules);
  Slot first_to_preempt(const std::vector<Slot>& decoding) const;
  void choose_drafts();
  void check_drafts();
  void compute_along();
  void add_chunk(Slot slot, std::int64_t tokens);
  PrefillView view(Slot slot) const;

  Replica& replica_;
  Lane& lane_;
  ReplicaListener& listener_;
};

}  // namespace servecast
