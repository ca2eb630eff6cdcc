#pragma once
#include <span>

#include "models/policy/pool_probe.h"
#include "sim/engine/cluster/kv_copy.h"
#include "sim/serving/replica/replica.h"

namespace servecast {

struct Pool;

/// What a pool knows of itself beside its replicas.
struct PoolPace {
  PoolPace(const Pool& pool, const KvCopy& kv_copy);

  const StepLatency* latency;
  std::int64_t max_step_tokens = 0;
  std::int64_t max_sequences = 0;
  std::int64_t block_tokens = 1;
  std::int64_t rows = 0;       // drafted tokens of a decoding sequence in a step, at most
  double tokens_per_step = 1;  // that it makes, in the mean
  KvCopy copy;
};

/// Answers policies from the replicas as they are. Made anew for every question time: it costs a few pointers.
/// Step times are those of GPUs at full clock.
class PoolAnswers final : public PoolProbe {
 public:
  /// `shown`: which replica stands at which position.
  PoolAnswers(std::span<const Replica> replicas, std::span<const std::uint32_t> shown, const PoolPace& pace)
      : replicas_(replicas), shown_(shown), pace_(pace) {}

  std::int64_t cached_tokens(const Request& request, std::size_t replica) const override {
    return replicas_[shown_[replica]].core().cache().cached_tokens(request);
  }
  bool holds_adapter(AdapterId adapter, std::size_t replica) const override {
    const AdapterSlots* adapters = replicas_[shown_[replica]].core().adapters.slots();
    return !adapters || adapters->holds(adapter);
  }
  std::int64_t block_tokens() const override { return pace_.block_tokens; }
  double prefill_s(std::int64_t prompt_tokens, std::int64_t cached_tokens) const override {
    return added_s(prompt_tokens, cached_tokens, {});
  }
  double added_by_prompt_s(std::int64_t prompt_tokens, std::int64_t sequences,
                           std::int64_t kv_tokens) const override {
    return added_s(prompt_tokens, 0, decoding(sequences, kv_tokens));
  }
  double decode_step_s(std::int64_t sequences, std::int64_t kv_tokens) const override;
  double copy_s(std::size_t from, std::size_t to, std::int64_t tokens) const override {
    return pace_.copy.seconds(shown_[from], shown_[to], tokens);
  }

 private:
  double step_s(const StepWork& work) const;
  StepWork decoding(std::int64_t sequences, std::int64_t kv_tokens) const;
  double added_s(std::int64_t prompt_tokens, std::int64_t cached_tokens, const StepWork& decodes) const;

  std::span<const Replica> replicas_;
  std::span<const std::uint32_t> shown_;
  const PoolPace& pace_;
};

}  // namespace servecast
