#pragma once
#include <span>
#include <string>

#include "calibrate/servers/comparison.h"

namespace servecast {

/// Closed loops beside what AIConfigurator 0.12 (NVIDIA's planner) forecasts of 1,277 of them: a heading and a table
/// in Markdown; empty without closed loops.
std::string peer_table(std::span<const ComparedFigure> figures);

}  // namespace servecast
