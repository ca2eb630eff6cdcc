#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "models/policy/workload.h"
#include "sim/input/trace/rows/workload_notes.h"

namespace servecast {

/// Percentiles are interpolated between the two nearest values.
struct LengthInfo {
  double mean = 0;
  double p50 = 0;
  double p90 = 0;
  double p99 = 0;
  double max = 0;
};

/// What is said of a workload by `servecast trace info`. Times and rates are of what arrives by itself; in a closed
/// loop that is the first request of each session, lengths and turns are of all.
struct TraceInfo {
  std::int64_t requests = 0;
  std::map<std::string, std::int64_t> skipped_rows{};  // why -> how many
  std::map<std::string, std::int64_t> classes{};       // name -> requests, the unnamed one left out
  std::int64_t arrivals = 0;                           // requests that arrive by themselves
  double span_s = 0;                                   // from the first to the last of them
  double arrivals_per_s = 0;                           // arrivals / span
  double gap_cv = 0;                                   // standard deviation / mean of the gaps between them
  double dispersion_1s = 0;                            // variance / mean of the arrivals in bins of 1 s; 1 is Poisson
  double dispersion_60s = 0;
  double peak_1s_per_s = 0;  // rate in the fullest bin
  double peak_60s_per_s = 0;
  LengthInfo prompt_tokens{};
  LengthInfo output_tokens{};
  std::int64_t sessions = 0;
  double mean_turns = 0;  // requests per session
  std::int64_t max_turns = 0;
  std::optional<double> prefix_hit_fraction{};  // of all prompt tokens, with a cache that forgets nothing
};

/// Uses the workload up.
TraceInfo describe(Workload& workload, const WorkloadNotes& notes);

std::string to_text(const TraceInfo& info);
std::string to_json(const TraceInfo& info);

}  // namespace servecast
