#pragma once
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "models/base/fields.h"
#include "sim/report/record/request_totals.h"
#include "sim/report/record/run_facts.h"
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

/// What waits for kernels' first use came to, and what clients see without them.
struct FirstUseSummary {
  double wait_s = 0;
  std::int64_t requests = 0;
  std::optional<Statistics> ttft_s{};
  void fields(Fields& f);
  bool operator==(const FirstUseSummary&) const = default;
};
/// Absent where no step waited.
std::optional<FirstUseSummary> first_use_of(const RequestTotals& totals, const std::vector<PoolFacts>& pools);

/// What was promised and what was kept. Without any bound nothing is attained or missed: the shares are absent. Where
/// classes are promised something of their own, each request is held to that.
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
  std::int64_t classes_missed = 0;

  bool met() const { return attained_fraction && *attained_fraction >= *target_fraction && classes_missed == 0; }
  void fields(Fields& f);
  bool operator==(const SloSummary&) const = default;
};

struct ClassSummary {
  std::string name{};
  RequestCounts requests{};
  std::optional<double> output_tokens_per_s{};
  Latencies latencies{};
  std::optional<double> attained_fraction{};
  SloBounds promised{};  // to it alone, or to all

  SloSummary slo() const {
    return {.ttft_s = promised.ttft_s,
            .tpot_s = promised.tpot_s,
            .e2e_s = promised.e2e_s,
            .target_fraction = promised.target_fraction,
            .attained_fraction = attained_fraction};
  }
  void fields(Fields& f);
  bool operator==(const ClassSummary&) const = default;
};

Latencies latencies_of(const RequestTotals& totals);
/// Of requests that were each held to what its class is promised, which are of these classes.
SloSummary slo_of(const RequestTotals& all, std::span<const RequestTotals> classes, const RunFacts& facts);
/// By class, those that came and those that are promised something of their own; empty where all are promised the
/// same and fewer than two came.
std::vector<ClassSummary> classes_of(std::span<const RequestTotals> classes, const RunFacts& facts);

}  // namespace servecast
