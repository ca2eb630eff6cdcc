#pragma once
#include <algorithm>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "models/base/record.h"
#include "sim/report/record/gateway_totals.h"
#include "sim/report/record/perceived.h"
#include "sim/report/record/request_totals.h"
#include "sim/report/statistics/any_order_sum.h"
#include "sim/report/statistics/histogram.h"
#include "sim/report/statistics/interval_sum.h"

namespace servecast {

/// What happened in one pool during one second.
struct SecondRecord {
  std::int64_t arrivals = 0;
  std::int64_t prompt_tokens = 0;  // computed by steps that ended in it
  std::int64_t output_tokens = 0;
  Ticks step_ticks = 0;      // time in steps, summed over replicas (and over the stages of a pipeline)
  Ticks kv_block_ticks = 0;  // used KV blocks x time
  AnyOrderSum step_energy_j{};
};

/// Requests that arrived during one second.
struct SloSecond {
  std::int64_t arrived = 0;
  std::int64_t attaining = 0;  // kept every bound that its class is promised
};

/// What happened in one pool.
struct PoolRecord {
  std::vector<SecondRecord> seconds;
  std::vector<SloSecond> slo_seconds;  // empty unless watched
  IntervalSum waiting;
  IntervalSum running;
  IntervalSum rented;  // replicas, where these come and go
  Histogram token_gap_s;
  Histogram hand_over_s;  // of prompts computed here, to where they are decoded
  double hand_over_bytes = 0;
  Histogram migration_pause_s;  // of sequences that moved to another replica
  double migration_bytes = 0;
  std::int64_t migrations_aborted = 0;
};

/// What is kept of single requests.
struct KeepRequests {
  bool records = true;                   // about 110 bytes for each; requests.csv needs them
  std::int64_t exact_up_to = 1'000'000;  // their latencies, 32 bytes for each; with more requests only histograms
};

/// Takes down what happens during a run, at a few nanoseconds per event, and keeps what the reports need.
class Recorder {
 public:
  explicit Recorder(std::size_t pools, const KeepRequests& keep = {}) : keep_(keep), pools_(pools) {}

  /// What requests are judged by; before the first of them.
  void set_slo(const SloFacts& slo) { slo_ = slo; }
  /// What readers feel is wanted; before the first request. Some of them read one class, one perhaps all others.
  void set_readers(std::map<ClassId, ReaderFacts> readers, std::optional<ReaderFacts> others);
  /// How the SLO is kept from second to second is wanted; before the first request.
  void watch_slo() { watches_slo_ = true; }
  /// There is a gateway in front of so many targets; before the first request.
  void set_gateway(std::size_t targets) { gateway_targets_ = targets; }
  /// Once per request, when it has finished or was rejected, or at the end of the run. In any order.
  void request(const RequestRecord& record);
  /// With a gateway, once per request as well.
  void gateway(const GatewayRecord& record);
  void arrival(PoolId pool, double at_s) { second(pools_[index(pool)], to_ticks(at_s)).arrivals += 1; }
  /// Steps of one replica come in order.
  void step(const StepRecord& record);
  /// `count` output tokens came `gap_s` after the one before them in their request.
  void token_gap(PoolId pool, double gap_s, std::int64_t count) { pools_[index(pool)].token_gap_s.add(gap_s, count); }
  /// A request whose prompt this pool has computed went on on another replica, so long afterwards.
  void migrated(PoolId pool, double pause_s, double bytes) {
    pools_[index(pool)].migration_pause_s.add(pause_s, 1);
    pools_[index(pool)].migration_bytes += bytes;
  }
  void migration_aborted(PoolId pool) { ++pools_[index(pool)].migrations_aborted; }
  void hand_over(PoolId pool, double seconds, double bytes) {
    pools_[index(pool)].hand_over_s.add(seconds, 1);
    pools_[index(pool)].hand_over_bytes += bytes;
  }
  /// A request stood in a queue of the pool, or was admitted on one of its replicas, during [from_s, to_s).
  void waiting(PoolId pool, double from_s, double to_s) { pools_[index(pool)].waiting.add(from_s, to_s); }
  void running(PoolId pool, double from_s, double to_s) { pools_[index(pool)].running.add(from_s, to_s); }

  /// A replica of a pool whose replicas come and go was paid for.
  void rented(PoolId pool, double from_s, double to_s) { pools_[index(pool)].rented.add(from_s, to_s); }

  /// The run is over: puts the requests in order of their ids. Call it once, before reading.
  void close();

  const SloFacts& slo() const { return slo_; }
  /// How many requests were recorded.
  std::int64_t count() const { return count_; }
  /// Whether percentiles of latencies are exact.
  bool exact() const { return count_ <= keep_.exact_up_to; }
  /// By ClassId.
  std::span<const RequestTotals> classes() const { return classes_; }
  /// By ClassId; empty unless there is a gateway, or readers.
  std::span<const GatewayTotals> gateway_classes() const { return gateway_classes_; }
  std::span<const PerceivedTotals> perceived_classes() const { return perceived_classes_; }
  /// By id. Empty unless records are kept.
  std::span<const RequestRecord> requests() const { return requests_; }
  std::span<const GatewayRecord> gateway_requests() const { return gateway_requests_; }
  std::span<const PoolRecord> pools() const { return pools_; }

 private:
  static SecondRecord& second(PoolRecord& pool, Ticks at) {
    const std::size_t i = second_of(at);
    if (pool.seconds.size() <= i) lengthen(pool, i + 1);
    return pool.seconds[i];
  }
  /// Throws UserError from a year on.
  static void lengthen(PoolRecord& pool, std::size_t seconds);
  Ticks& kv_counted_to(ReplicaId replica) {
    if (kv_counted_to_.size() <= index(replica)) kv_counted_to_.resize(index(replica) + 1);
    return kv_counted_to_[index(replica)];
  }
  RequestTotals& totals_of(ClassId request_class);
  void perceive(const RequestRecord& record);
  void count_slo(const RequestRecord& record);
  struct StepTicks {
    Ticks from = 0;
    Ticks busy_from = 0;  // counted as time in which GPUs work
    Ticks kv_from = 0;    // counted as time in which its blocks are held
    Ticks to = 0;
  };
  StepTicks ticks(const StepRecord& record);
  void spread(PoolRecord& pool, const StepRecord& record, const StepTicks& ticks);

  KeepRequests keep_;
  SloFacts slo_{};
  std::vector<PoolRecord> pools_;
  std::int64_t count_ = 0;
  std::vector<RequestTotals> classes_;
  std::vector<RequestRecord> requests_;
  std::size_t gateway_targets_ = 0;
  std::vector<GatewayTotals> gateway_classes_;
  std::vector<GatewayRecord> gateway_requests_;
  bool watches_slo_ = false;
  bool perceives_ = false;
  std::map<ClassId, ReaderFacts> readers_;
  std::optional<ReaderFacts> other_reader_;
  std::vector<PerceivedTotals> perceived_classes_;
  std::vector<Ticks> kv_counted_to_;  // per replica: batches in a pipeline overlap, the blocks they see are the same
};

inline Recorder::StepTicks Recorder::ticks(const StepRecord& record) {
  const Ticks from = to_ticks(record.start_s);
  const Ticks to = to_ticks(record.end_s);
  if (record.beside_until_s) {
    const Ticks alone_from = std::clamp(to_ticks(*record.beside_until_s), from, to);
    return {.from = from, .busy_from = alone_from, .kv_from = alone_from, .to = to};
  }
  Ticks& counted = kv_counted_to(record.replica);
  const Ticks kv_from = std::clamp(counted, from, to);
  counted = std::max(counted, to);
  const Ticks busy_from = record.busy_s ? std::max(from, to - to_ticks(*record.busy_s)) : from;
  return {.from = from, .busy_from = busy_from, .kv_from = kv_from, .to = to};
}

inline void Recorder::step(const StepRecord& record) {
  PoolRecord& pool = pools_[index(record.pool)];
  const StepTicks t = ticks(record);
  SecondRecord& last = second(pool, t.to);
  last.prompt_tokens += record.prefill_tokens;
  last.output_tokens += record.emitted_tokens;
  if (second_of(t.from) != second_of(t.to)) return spread(pool, record, t);
  last.step_ticks += t.to - t.busy_from;
  last.kv_block_ticks += (t.to - t.kv_from) * record.used_blocks;
  last.step_energy_j.add(record.energy_j);
}

}  // namespace servecast
