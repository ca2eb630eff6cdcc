#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "models/base/fields.h"
#include "sim/report/record/failure_facts.h"
#include "sim/report/statistics/statistics.h"

namespace servecast {

class Recorder;
struct RunFacts;
struct SloSecond;

// The part of summary.json on failures. Members are spelled as the keys; lists are empty where nothing can fail.

/// What failures did to one pool.
struct FailureSummary : FailureCounts {
  std::int64_t crashes = 0;
  double available_fraction = 1;
  std::optional<Statistics> slo_recovery_s{};
  std::int64_t not_recovered = 0;
  void fields(Fields& f);
  bool operator==(const FailureSummary&) const = default;
};

/// Parts of one kind that failed, or might have.
struct BrokenPartSummary {
  std::string part{};
  std::int64_t parts = 0;
  std::int64_t failures = 0;
  double available_fraction = 1;
  void fields(Fields& f);
  bool operator==(const BrokenPartSummary&) const = default;
};

std::vector<FailureSummary> failures_of(const Recorder& recorder, const RunFacts& facts);
std::vector<BrokenPartSummary> broken_parts_of(const RunFacts& facts);

/// From the crash until the SLO holds again: until a span of ten seconds begins such that, of the requests that
/// arrive in it, the target share keeps every bound. Nothing where that does not come, or no request arrives.
std::optional<double> slo_recovery_s(double crashed_s, std::span<const SloSecond> seconds, double target_fraction);

}  // namespace servecast
