#pragma once
#include <string>
#include <vector>

#include "sim/report/gateway_summary.h"
#include "sim/report/text_layout.h"

namespace servecast {

/// A part of the terminal report: tables under a heading, and lines below them.
struct TextSection {
  std::string heading{};
  std::vector<TextTable> tables{};
  std::vector<std::string> lines{};
};

/// What the gateway adds to latency, cost and quality, and what readers feel; nothing where there is neither.
std::vector<TextSection> gateway_sections(const GatewaySummary& summary);

}  // namespace servecast
