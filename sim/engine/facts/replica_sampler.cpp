#include "sim/engine/facts/replica_sampler.h"

#include "sim/engine/cluster/cluster.h"
#include "sim/engine/time/run_options.h"

namespace servecast {

void ReplicaSampler::sample(Cluster& cluster) {
  cluster.advance_all(next_s());
  for (std::size_t pool = 0; pool < cluster.pools().size(); ++pool)
    for (std::size_t i = 0; i < cluster.pools()[pool].size(); ++i) {
      const ReplicaView view = cluster.replica({pool, i}).view();
      samples_.push_back(
          {.time_s = next_s(),
           .replica = view.id,
           .pool = PoolId(pool),
           .running = view.running_requests,
           .waiting = view.waiting_requests,
           .kv_used_fraction = static_cast<double>(view.used_blocks) / static_cast<double>(view.total_blocks),
           .state = cluster.lifecycle().name({pool, i})});
    }
  ++seconds_;
}

void ReplicaSampler::step(const StepRecord& step) {
  if (busy_.size() <= index(step.replica)) busy_.resize(index(step.replica) + 1);
  busy_[index(step.replica)].add(step.start_s, step.end_s);
}

void ReplicaSampler::report(double duration_s, DetailListener& listener) const {
  std::vector<std::vector<double>> busy;
  for (const IntervalSum& sum : busy_) busy.push_back(sum.means(Seconds(duration_s)));
  for (ReplicaSample row : samples_) {
    if (row.time_s > duration_s) return;  // looked at while the last step, which ended before, was still to be taken
    const auto second = static_cast<std::size_t>(row.time_s);
    if (index(row.replica) < busy.size() && second < busy[index(row.replica)].size())
      row.busy_fraction = std::min(1.0, busy[index(row.replica)][second]);  // batches of a pipeline overlap
    listener.replica(row);
  }
}

}  // namespace servecast
