#pragma once
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "models/base/fields.h"
#include "sim/report/record/request_totals.h"
#include "sim/report/statistics/statistics.h"

namespace servecast {

// What clients see, in summary.json. Members are spelled as the keys.

/// The latencies of some requests; absent where no request got so far.
struct Latencies {
  std::optional<Statistics> ttft_s{};
  std::optional<Statistics> tpot_s{};
  std::optional<Statistics> e2e_s{};
  std::optional<Statistics> queue_s{};
  /// With the gaps between tokens among them, where these are recorded.
  void fields(Fields& f, std::optional<Statistics>* itl_s = nullptr);
  bool operator==(const Latencies&) const = default;
};

/// What was promised and what was kept. Without any bound nothing is attained or missed: the shares are absent.
struct SloSummary {
  std::optional<double> ttft_s{};
  std::optional<double> tpot_s{};
  std::optional<double> e2e_s{};
  std::optional<double> target_fraction{};
  std::optional<double> attained_fraction{};
  std::optional<double> goodput_requests_per_s{};
  std::optional<double> ttft_attained_fraction{};
  std::optional<double> tpot_attained_fraction{};
  std::optional<double> e2e_attained_fraction{};

  bool met() const { return attained_fraction && *attained_fraction >= *target_fraction; }
  void fields(Fields& f);
  bool operator==(const SloSummary&) const = default;
};

struct ClassSummary {
  std::string name{};
  RequestCounts requests{};
  Latencies latencies{};
  std::optional<double> attained_fraction{};
  void fields(Fields& f);
  bool operator==(const ClassSummary&) const = default;
};

Latencies latencies_of(const RequestTotals& totals);
SloSummary slo_of(const RequestTotals& all, const SloFacts& slo, double duration_s);
/// By class; empty unless requests of several came.
std::vector<ClassSummary> classes_of(std::span<const RequestTotals> classes, const RunFacts& facts);

}  // namespace servecast
