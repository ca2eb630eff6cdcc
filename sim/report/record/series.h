#pragma once
#include <vector>

#include "models/base/ids.h"
#include "sim/report/record/recorder.h"
#include "sim/report/record/run_facts.h"

namespace servecast {

/// One pool during one second; one row of series.csv. Amounts are means over the second; the run's last one may be
/// shorter, and is averaged over its own length.
struct SeriesRow {
  double time_s = 0;  // its beginning
  PoolId pool{};
  std::int64_t arrivals = 0;
  double running = 0;
  double waiting = 0;
  double kv_used_fraction = 0;
  double busy_gpus = 0;
  double rented_gpus = 0;
  double prompt_tokens_per_s = 0;
  double output_tokens_per_s = 0;
  double watts = 0;  // of the pool's GPUs
  double usd = 0;    // from the start of the run to the end of this second
  bool operator==(const SeriesRow&) const = default;
};

/// Second by second, and in each second pool by pool.
std::vector<SeriesRow> make_series(const Recorder& recorder, const RunFacts& facts);

}  // namespace servecast
