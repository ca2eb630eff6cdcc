#pragma once
#include <optional>

namespace servecast {

class Runs;
struct SearchResult;
struct Study;

/// What the cheapest design costs that keeps its promises, draw by draw of calibration error and seed: 5 % and 95 %
/// of the draws.
struct CostRange {
  double low_usd_per_hour = 0;
  double high_usd_per_hour = 0;
  bool open = false;  // in some draw none of those tried did
};

/// Of designs on the chosen one's kind of GPU, price by price down and up from it until every draw has its cheapest.
/// Nothing where designs are judged by one run, or for goals that are not about cost.
std::optional<CostRange> cost_range(const Study& study, Runs& runs, const SearchResult& found);

}  // namespace servecast
