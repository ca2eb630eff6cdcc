#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "sim/plan/compare/grid.h"
#include "sim/plan/compare/replicated.h"
#include "sim/report/figures/figures.h"

namespace servecast {

/// A grid of scenarios and what came of each point.
struct SweepTable {
  std::vector<SweepAxis> dimensions{};
  std::vector<std::vector<std::string>> points{};  // by point: "path=value" by dimension
  std::vector<Replicated> results{};               // by point
  std::vector<FigureColumn> figures = figure_columns();
};

/// For the terminal: a row per point, below it its 5 % and 95 % quantiles where there are draws; what failed is named
/// below the table.
std::string sweep_text(const SweepTable& table);
/// A row per point; "<figure>_p05" and "<figure>_p95" where there are draws.
void write_sweep_csv(const std::string& file, const SweepTable& table);
nlohmann::ordered_json sweep_json(const SweepTable& table);

}  // namespace servecast
