#pragma once
#include <span>
#include <string>

#include "calibrate/servers/measured_server.h"

namespace servecast {

struct ComparedFigure;

/// Markdown, a section of a regime's page: systems whose forecasts are off, by how much, and why as far as known. One
/// that is off by more than is asked at the 90th percentile is named without a known cause, too. Empty where there
/// are none.
std::string known_gaps_section(Regime regime, std::span<const ComparedFigure> figures);

}  // namespace servecast
