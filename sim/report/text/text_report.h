#pragma once
#include <span>
#include <string>

#include "sim/report/figures/replicates.h"
#include "sim/report/record/series.h"
#include "sim/report/summary/summary.h"

namespace servecast {

struct TextOptions {
  bool colour = false;
  bool unicode = true;
  int width = 100;
};

/// The report that a person reads on the terminal. Without a series it has no curves over time.
std::string text_report(const Summary& summary, std::span<const SeriesRow> series, const TextOptions& options,
                        const std::optional<Interval>& interval = {});

}  // namespace servecast
