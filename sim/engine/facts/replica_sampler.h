#pragma once
#include <vector>

#include "models/base/record.h"
#include "models/policy/router.h"
#include "sim/report/csv/detail_csv.h"
#include "sim/report/statistics/interval_sum.h"

namespace servecast {

class Cluster;
struct DetailListener;

/// Collects the rows of replicas.csv: what each replica looks like at every full second, and its busy share of the
/// second that begins there.
class ReplicaSampler {
 public:
  /// Next full second to look at.
  double next_s() const { return static_cast<double>(seconds_); }
  /// Brings all replicas up to then.
  void sample(Cluster& cluster);
  void step(const StepRecord& step);
  /// Gives out all rows, second by second.
  void report(double duration_s, DetailListener& listener) const;

 private:
  std::int64_t seconds_ = 0;
  std::vector<ReplicaSample> samples_;
  std::vector<IntervalSum> busy_;  // by replica
};

}  // namespace servecast
