#pragma once
#include <cstdint>
#include <optional>

#include "models/base/fields.h"

namespace servecast {

struct RunFacts;

// Money and energy of a run's machines, in summary.json. Members are spelled as the keys.

struct CostSummary {
  double usd_per_hour = 0;
  double usd_total = 0;
  std::optional<double> usd_per_request{};                // absent where none completed
  std::optional<double> usd_per_million_output_tokens{};  // absent where none was made
  void fields(Fields& f);
  bool operator==(const CostSummary&) const = default;
};

struct EnergySummary {
  double j_total = 0;
  std::optional<double> j_per_output_token{};
  void fields(Fields& f);
  bool operator==(const EnergySummary&) const = default;
};

CostSummary cost_of(const RunFacts& facts, std::int64_t completed, std::int64_t output_tokens);
EnergySummary energy_of(const RunFacts& facts, std::int64_t output_tokens);

}  // namespace servecast
