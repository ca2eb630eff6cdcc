#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "models/base/fields.h"
#include "sim/report/statistics.h"
#include "sim/report/text_layout.h"

namespace servecast {

struct RunFacts;

/// The part of summary.json on pools whose replicas come and go, pool by pool. Members are spelled as the keys.
struct ScalingSummary {
  std::string pool{};
  std::string autoscaler{};
  double serving_mean = 0;
  std::int64_t serving_max = 0;
  double rented_mean = 0;
  double gpu_hours = 0;
  double saved_fraction = 0;
  std::int64_t starts = 0;
  std::int64_t woken = 0;
  std::int64_t stops = 0;
  std::optional<Statistics> start_s{};
  std::optional<Statistics> drain_s{};
  std::int64_t mirrored = 0;
  void fields(Fields& f);
  bool operator==(const ScalingSummary&) const = default;
};

std::vector<ScalingSummary> scaling_of(const RunFacts& facts);

/// For the text report; empty without autoscalers.
std::optional<TextTable> scaling_table(std::span<const ScalingSummary> scaling);

}  // namespace servecast
