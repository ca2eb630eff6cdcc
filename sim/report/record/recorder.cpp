#include "sim/report/record/recorder.h"

#include <algorithm>
#include <cassert>

#include "models/base/error.h"
#include "models/base/units.h"
#include "sim/report/record/latency.h"

namespace servecast {

void Recorder::request(const RequestRecord& record) {
  ++count_;
  if (count_ == keep_.exact_up_to + 1) std::ranges::for_each(classes_, &RequestTotals::coarsen);
  totals_of(record.request_class).add(record, slo_.of(record.request_class));
  if (perceives_) perceive(record);
  if (watches_slo_) count_slo(record);
  if (keep_.records) requests_.push_back(record);
}

void Recorder::set_readers(std::map<ClassId, ReaderFacts> readers, std::optional<ReaderFacts> others) {
  readers_ = std::move(readers);
  other_reader_ = others;
  perceives_ = !readers_.empty() || other_reader_;
}

void Recorder::perceive(const RequestRecord& record) {
  const auto own = readers_.find(record.request_class);
  const std::optional<ReaderFacts> reader = own == readers_.end() ? other_reader_ : own->second;
  if (!reader) return;
  const std::size_t of = index(record.request_class);
  if (perceived_classes_.size() <= of) perceived_classes_.resize(of + 1);
  perceived_classes_[of].add(record, *reader);
  if (count_ == keep_.exact_up_to + 1) std::ranges::for_each(perceived_classes_, &PerceivedTotals::coarsen);
}

void Recorder::lengthen(PoolRecord& pool, std::size_t seconds) {
  if (static_cast<double>(seconds) > longest_run_s)
    throw UserError("the run goes on beyond a year, and every second of it is recorded; are rates and times right?");
  pool.seconds.resize(seconds);
}

void Recorder::count_slo(const RequestRecord& record) {
  std::vector<SloSecond>& seconds = pools_[index(record.pool)].slo_seconds;
  const std::size_t at = second_of(to_ticks(record.arrival_s));
  if (seconds.size() <= at) seconds.resize(at + 1);
  ++seconds[at].arrived;
  seconds[at].attaining += keeps_all(record, slo_);
}

void Recorder::gateway(const GatewayRecord& record) {
  const std::size_t of = index(record.request_class);
  if (gateway_classes_.size() <= of) gateway_classes_.resize(of + 1);
  gateway_classes_[of].add(record, gateway_targets_);
  if (count_ == keep_.exact_up_to + 1) std::ranges::for_each(gateway_classes_, &GatewayTotals::coarsen);
  if (keep_.records) gateway_requests_.push_back(record);
}

RequestTotals& Recorder::totals_of(ClassId request_class) {
  while (classes_.size() <= index(request_class)) {
    classes_.emplace_back();
    if (!exact()) classes_.back().coarsen();
  }
  return classes_[index(request_class)];
}

void Recorder::spread(PoolRecord& pool, const StepRecord& record, const StepTicks& t) {
  const double w_per_tick = record.energy_j / static_cast<double>(t.to - t.from);
  for (Ticks at = t.from; at < t.to;) {
    const Ticks next = std::min(t.to, (static_cast<Ticks>(second_of(at)) + 1) * ticks_per_s);
    SecondRecord& here = second(pool, at);
    here.step_ticks += std::max<Ticks>(0, next - std::max(at, t.busy_from));
    here.kv_block_ticks += std::max<Ticks>(0, next - std::max(at, t.kv_from)) * record.used_blocks;
    here.step_energy_j.add(w_per_tick * static_cast<double>(next - at));
    at = next;
  }
}

void Recorder::close() {
  std::ranges::sort(requests_, {}, &RequestRecord::id);
  std::ranges::sort(gateway_requests_, {}, &GatewayRecord::id);
  assert(std::ranges::adjacent_find(requests_, {}, &RequestRecord::id) == requests_.end());
}

}  // namespace servecast
