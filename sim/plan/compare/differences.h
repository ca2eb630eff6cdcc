#pragma once
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sim/report/figures/figures.h"
#include "sim/report/figures/replicates.h"
#include "sim/report/summary/summary.h"

namespace servecast {

/// One of the things compared: a report read from a file, or a scenario with its draws.
struct Compared {
  std::string name{};
  Summary best{};
  std::vector<Summary> draws{};        // where it was simulated: draw i of all go together
  std::optional<Interval> interval{};  // where it was read: all that a report tells of its draws
};

/// How far a figure lies apart in two of them, and how sure that is.
struct Difference {
  FigureColumn figure{};
  std::optional<double> base{};
  std::optional<double> other{};
  std::optional<double> apart{};  // other - base
  // 9 of 10 differences lie within. With draws of both: the quantiles of the differences of draws that go together.
  // With intervals alone: the ends that lie farthest apart, which is wider.
  std::optional<double> p05{};
  std::optional<double> p95{};
  std::optional<double> agreeing_fraction{};  // share of the pairs whose difference has the sign of `apart`

  bool clear() const { return p05 && p95 && (*p05 > 0 || *p95 < 0); }
};

/// Figure by figure.
std::vector<Difference> differences(std::span<const FigureColumn> figures, const Compared& base,
                                    const Compared& other);

/// For the terminal: every one after the first against the first.
std::string differences_text(std::span<const FigureColumn> figures, const std::vector<Compared>& compared);
nlohmann::ordered_json differences_json(std::span<const FigureColumn> figures, const std::vector<Compared>& compared);

}  // namespace servecast
