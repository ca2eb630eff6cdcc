#include "sim/report/record/series.h"

#include <algorithm>
#include <cassert>

#include "models/base/units.h"

namespace servecast {
namespace {

/// What was recorded for the instant of the run's very end belongs to its last second.
std::vector<SecondRecord> cut(std::span<const SecondRecord> recorded, std::size_t count) {
  std::vector<SecondRecord> out(count);
  for (std::size_t i = 0; i < recorded.size(); ++i) {
    SecondRecord& to = out[std::min(i, count - 1)];
    to.arrivals += recorded[i].arrivals;
    to.prompt_tokens += recorded[i].prompt_tokens;
    to.output_tokens += recorded[i].output_tokens;
    to.step_ticks += recorded[i].step_ticks;
    to.kv_block_ticks += recorded[i].kv_block_ticks;
    to.step_energy_j += recorded[i].step_energy_j;
  }
  return out;
}

SeriesRow row(const SecondRecord& second, const PoolFacts& pool, double gpus, Ticks begin, Ticks width) {
  const auto mean = [&](auto integral) { return static_cast<double>(integral) / static_cast<double>(width); };
  const double width_s = to_seconds(width);
  const auto total_blocks = static_cast<double>(pool.replicas * pool.kv_blocks_per_replica);
  SeriesRow r{.time_s = to_seconds(begin), .arrivals = second.arrivals};
  r.kv_used_fraction = total_blocks > 0 ? mean(second.kv_block_ticks) / total_blocks : 0;
  r.busy_gpus = mean(second.step_ticks * pool.tensor_parallel);
  r.prompt_tokens_per_s = static_cast<double>(second.prompt_tokens) / width_s;
  r.output_tokens_per_s = static_cast<double>(second.output_tokens) / width_s;
  r.watts = second.step_energy_j.value() / width_s + pool.gpu_idle_w * std::max(0.0, gpus - r.busy_gpus);
  r.rented_gpus = gpus;
  return r;
}

std::vector<SeriesRow> pool_series(const PoolRecord& record, const PoolFacts& pool, Seconds seconds) {
  const std::vector<SecondRecord> recorded = cut(record.seconds, seconds.count());
  const std::vector<double> waiting = record.waiting.means(seconds);
  const std::vector<double> running = record.running.means(seconds);
  const std::vector<double> rented = record.rented.means(seconds);
  double rented_gpu_s = 0;
  std::vector<SeriesRow> rows;
  rows.reserve(recorded.size());
  for (std::size_t i = 0; i < recorded.size(); ++i) {
    const double gpus = pool.rented_gpus ? rented[i] * pool.gpus_per_replica() : static_cast<double>(pool.gpus);
    const Ticks begin = static_cast<Ticks>(i) * ticks_per_s;
    const Ticks width = seconds.width(i);
    rows.push_back(row(recorded[i], pool, gpus, begin, width));
    rows.back().waiting = waiting[i];
    rows.back().running = running[i];
    rented_gpu_s = pool.rented_gpus ? rented_gpu_s + gpus * to_seconds(width) : gpus * to_seconds(begin + width);
    rows.back().usd = rented_gpu_s * pool.usd_per_gpu_hour / seconds_per_hour;
  }
  return rows;
}

}  // namespace

std::vector<SeriesRow> make_series(const Recorder& recorder, const RunFacts& facts) {
  assert(recorder.pools().size() == facts.pools.size());
  const Seconds seconds(facts.duration_s);
  const std::size_t pools = facts.pools.size();
  std::vector<SeriesRow> rows(seconds.count() * pools);
  for (std::size_t p = 0; p < pools; ++p) {
    const std::vector<SeriesRow> mine = pool_series(recorder.pools()[p], facts.pools[p], seconds);
    for (std::size_t i = 0; i < mine.size(); ++i) {
      rows[i * pools + p] = mine[i];
      rows[i * pools + p].pool = static_cast<PoolId>(p);
    }
  }
  return rows;
}

}  // namespace servecast
