#pragma once
#include <string>

#include "sim/report/summary/summary.h"

namespace servecast {

/// Whether the promise was kept and by how much: "SLO met: 99.6 % keep TTFT ≤ 1.00 s; 99.0 % asked, ...".
std::string verdict(const SloSummary& slo);

/// Which bound was missed how often, where that is news: with several of them, not all kept. Otherwise empty.
std::string bound_by_bound(const SloSummary& slo);

}  // namespace servecast
