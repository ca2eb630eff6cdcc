#pragma once
#include <optional>
#include <vector>

#include "models/base/fields.h"

namespace servecast {

/// How some quantity is spread over requests (or over token gaps).
struct Statistics {
  double mean = 0;
  double p50 = 0;
  double p90 = 0;
  double p95 = 0;
  double p99 = 0;
  double max = 0;

  void fields(Fields& f) {
    f.figure("mean", mean, "arithmetic mean");
    f.figure("p50", p50, "half of the values are no larger");
    f.figure("p90", p90, "90 % of the values are no larger");
    f.figure("p95", p95, "95 % of the values are no larger");
    f.figure("p99", p99, "99 % of the values are no larger");
    f.figure("max", max, "the largest value");
  }
  bool operator==(const Statistics&) const = default;
};

/// Exact, by nearest rank, and the same for any order of the values (times, 0 or more); nothing for no values.
/// Reorders `values`.
std::optional<Statistics> statistics_of(std::vector<double>& values);

}  // namespace servecast
