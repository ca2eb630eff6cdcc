#pragma once
#include <algorithm>
#include <span>
#include <vector>

#include "models/base/record.h"
#include "sim/report/histogram.h"
#include "sim/report/interval_sum.h"

namespace servecast {

/// What happened in one pool during one second.
struct SecondRecord {
  std::int64_t arrivals = 0;
  std::int64_t prompt_tokens = 0;  // computed by steps that ended in it
  std::int64_t output_tokens = 0;
  Ticks step_ticks = 0;      // time in steps, summed over replicas (and over the stages of a pipeline)
  Ticks kv_block_ticks = 0;  // used KV blocks x time
  double step_energy_j = 0;
};

/// What happened in one pool.
struct PoolRecord {
  std::vector<SecondRecord> seconds;
  IntervalSum waiting;
  IntervalSum running;
  Histogram token_gap_s;
};

/// Takes down what happens during a run, at a few nanoseconds per event, and keeps what the reports need of it.
class Recorder {
 public:
  explicit Recorder(std::size_t pools) : pools_(pools) {}

  /// Once per request, when it has finished or was rejected, or at the end of the run. In any order.
  void request(const RequestRecord& record) { requests_.push_back(record); }
  void arrival(PoolId pool, double at_s) { second(pools_[index(pool)], to_ticks(at_s)).arrivals += 1; }
  /// Steps of one replica come in order.
  void step(const StepRecord& record);
  /// `count` output tokens came `gap_s` after the one before them in their request.
  void token_gap(PoolId pool, double gap_s, std::int64_t count) { pools_[index(pool)].token_gap_s.add(gap_s, count); }
  /// A request stood in a queue of the pool, or was admitted on one of its replicas, during [from_s, to_s).
  void waiting(PoolId pool, double from_s, double to_s) { pools_[index(pool)].waiting.add(from_s, to_s); }
  void running(PoolId pool, double from_s, double to_s) { pools_[index(pool)].running.add(from_s, to_s); }

  /// The run is over: puts the requests in order of their ids. Call it once, before reading.
  void close();

  std::span<const RequestRecord> requests() const { return requests_; }
  std::span<const PoolRecord> pools() const { return pools_; }

 private:
  static SecondRecord& second(PoolRecord& pool, Ticks at) {
    const std::size_t i = second_of(at);
    if (pool.seconds.size() <= i) pool.seconds.resize(i + 1);
    return pool.seconds[i];
  }
  Ticks& kv_counted_to(ReplicaId replica) {
    if (kv_counted_to_.size() <= index(replica)) kv_counted_to_.resize(index(replica) + 1);
    return kv_counted_to_[index(replica)];
  }
  void spread(PoolRecord& pool, const StepRecord& record, Ticks from, Ticks kv_from, Ticks to);

  std::vector<PoolRecord> pools_;
  std::vector<RequestRecord> requests_;
  std::vector<Ticks> kv_counted_to_;  // per replica: batches in a pipeline overlap, the blocks they see are the same
};

inline void Recorder::step(const StepRecord& record) {
  PoolRecord& pool = pools_[index(record.pool)];
  const Ticks from = to_ticks(record.start_s);
  const Ticks to = to_ticks(record.end_s);
  Ticks& counted = kv_counted_to(record.replica);
  const Ticks kv_from = std::clamp(counted, from, to);
  counted = std::max(counted, to);

  SecondRecord& last = second(pool, to);
  last.prompt_tokens += record.prefill_tokens;
  last.output_tokens += record.emitted_tokens;
  if (second_of(from) != second_of(to)) return spread(pool, record, from, kv_from, to);
  last.step_ticks += to - from;
  last.kv_block_ticks += (to - kv_from) * record.used_blocks;
  last.step_energy_j += record.energy_j;
}

}  // namespace servecast
