#pragma once
#include <algorithm>
#include <iterator>
#include <span>
#include <string>
#include <vector>

#include "calibrate/servers/comparison.h"

namespace servecast {

using Figures = std::vector<ComparedFigure>;

template <class Belongs>
Figures chosen(std::span<const ComparedFigure> figures, const Belongs& belongs) {
  Figures out;
  std::ranges::copy_if(figures, std::back_inserter(out), belongs);
  return out;
}

/// Median and p90; a dash without any row.
std::string errors_text(const ErrorSummary& s);
/// With its sign; likewise.
std::string bias_text(const ErrorSummary& s);

}  // namespace servecast
