#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "sim/report/summary.h"

namespace servecast {

/// A number by which an architect compares designs.
struct Figure {
  std::string_view key;      // of a CSV column or a JSON member
  std::string_view heading;  // of a column on the terminal
  bool wide_only;            // left out of tables that a terminal must hold
  std::string (*text)(double value);
  std::optional<double> (*of)(const Summary& summary);  // none where the run has no such number
};

/// In the order in which one reads them: throughput, latencies, promises, money, energy, answers.
std::span<const Figure> figures();

}  // namespace servecast
