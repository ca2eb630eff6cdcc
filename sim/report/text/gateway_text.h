#pragma once
#include <string>
#include <vector>

#include "sim/report/layout/text_layout.h"
#include "sim/report/summary/gateway_summary.h"

namespace servecast {

/// What the gateway adds to latency, cost and quality, and what readers feel; nothing where there is neither.
std::vector<TextSection> gateway_sections(const GatewaySummary& summary);

}  // namespace servecast
