#pragma once
#include <span>
#include <string>

#include "calibrate/servers/measured_server.h"

namespace servecast {

struct ComparedFigure;

/// What to compare with: a row of the table of medians.
struct Target {
  const char* title;
  const char* group;  // prefix of ComparedFigure::group
  ServerFigure figure;
  bool only_warm;
  double median;
  double p90;  // 0: none stated
};

/// Markdown: medians per group against the targets, intervals, then every row, and those that were left out.
std::string accuracy_page(std::span<const ComparedFigure> figures, std::span<const ExcludedRow> left_out,
                          const std::string& fitted_on);

}  // namespace servecast
