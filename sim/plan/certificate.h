#pragma once
#include <string>

#include "sim/plan/runs.h"
#include "sim/report/plan_report.h"

namespace servecast {

/// What was proven of a search's designs, in numbers and in words.
Certificate certificate(const Study& study, const SearchResult& found);

/// Where no design keeps its promises: the one that misses them by least at the best estimate, and what it misses.
std::string closest(const Study& study, Runs& runs, const SearchResult& found);

}  // namespace servecast
