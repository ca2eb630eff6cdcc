#pragma once
#include <cstddef>
#include <string>

namespace servecast {

struct PlanReport;

/// The schedule by month, when the first design breaks, and what wrong growth costs; empty without a horizon.
std::string horizon_text(const PlanReport& report, std::size_t width);

/// Options, ranked; empty where the study has none.
std::string ideas_text(const PlanReport& report, std::size_t width);

}  // namespace servecast
