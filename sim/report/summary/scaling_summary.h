#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "models/base/fields.h"
#include "sim/report/record/scaling_facts.h"
#include "sim/report/statistics/statistics.h"

namespace servecast {

struct RunFacts;

/// Means over the starts of a pool that were not from its warm reserve.
struct ColdStartSummary : StartTimes {
  void fields(Fields& f);
  bool operator==(const ColdStartSummary&) const = default;
};

/// The part of summary.json on pools whose replicas come and go, pool by pool. Members are spelled as the keys.
struct ScalingSummary : ScalingCounts {
  double serving_mean = 0;
  std::int64_t serving_max = 0;
  double rented_mean = 0;
  double gpu_hours = 0;
  double saved_fraction = 0;
  std::optional<Statistics> start_s{};
  std::optional<ColdStartSummary> cold_start{};
  std::optional<Statistics> drain_s{};
  void fields(Fields& f);
  bool operator==(const ScalingSummary&) const = default;
};

std::vector<ScalingSummary> scaling_of(const RunFacts& facts);

}  // namespace servecast
