#pragma once
#include <string>

#include "sim/plan/compare/sweep_table.h"

namespace servecast {

/// For a page in Markdown: a row per point. `across` is empty or the path of a dimension, whose values are then
/// columns of each figure. Paths lose the parts at their front that all have in common. What failed is named below.
std::string sweep_markdown(const SweepTable& table, const std::string& across);

}  // namespace servecast
