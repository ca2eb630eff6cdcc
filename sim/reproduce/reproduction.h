#pragma once
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/reproduce/probes/quantity.h"

namespace servecast {

/// How a figure is written: 0.106 as "10.6 %".
struct FigureUnit {
  int digits = 2;
  std::string_view unit{};
  double scale = 1;
};
constexpr FigureUnit as_times(int digits = 2) { return {digits, " times"}; }
constexpr FigureUnit as_percent(int digits = 0) { return {digits, " %", 100}; }
constexpr FigureUnit as_seconds(int digits = 2) { return {digits, " s"}; }
constexpr FigureUnit as_ms(int digits = 0) { return {digits, " ms", 1e3}; }
constexpr FigureUnit as_rate(int digits = 2) { return {digits, " requests/s"}; }
constexpr FigureUnit as_tokens(int digits = 1) { return {digits, " tokens/s"}; }

/// A figure, or a range of them.
struct FigureRange {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();

  bool holds(double value) const { return value >= low && value <= high; }
};
constexpr FigureRange exactly(double value) { return {value, value}; }
constexpr FigureRange between(double low, double high) { return {low, high}; }
constexpr FigureRange at_least(double low) { return {.low = low}; }
constexpr FigureRange at_most(double high) { return {.high = high}; }
/// Within a share of a figure.
constexpr FigureRange within(double share, double of) { return {(1 - share) * of, (1 + share) * of}; }
constexpr FigureRange around(double of, double difference) { return {of - difference, of + difference}; }

/// One figure of a published system.
struct PaperRow {
  std::string figure{};  // what it is of
  FigureUnit unit{};
  std::optional<FigureRange> published{};  // none: its authors print no such figure
  std::optional<FigureRange> asked{};      // of ours; none: it is only told
  Quantity ours = 0;
  std::string missed{};     // where it is known to lie outside: why
  std::string not_asked{};  // of a published figure that nothing is asked of: why
};

/// A published system, or one comparison of it.
struct PaperSystem {
  std::string id{};      // S9
  std::string title{};   // of its section in docs/reproductions.md, after the id
  std::string source{};  // where it was published
  std::vector<PaperRow> rows{};
  bool example = false;  // its setting was chosen with the result in view: an example, not a reproduction
};

/// Every one, in the order of the page.
std::vector<PaperSystem> paper_systems();

}  // namespace servecast
