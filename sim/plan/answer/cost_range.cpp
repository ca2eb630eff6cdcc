#include "sim/plan/answer/cost_range.h"

#include <algorithm>
#include <map>
#include <vector>

#include "models/base/quantile.h"
#include "sim/plan/judge/hour_cost.h"
#include "sim/plan/search/runs.h"
#include "sim/plan/search/search.h"
#include "sim/plan/study/study.h"

namespace servecast {
namespace {

constexpr std::int64_t range_draws = 20;
constexpr int most_prices = 4;  // tried below the chosen design's, and above it

/// Designs by the least that an hour of them can cost.
using Prices = std::map<double, std::vector<const SizedDesign*>>;

Prices prices_of(const SearchResult& found, const SizedDesign& chosen) {
  Prices prices;
  for (const DesignResult& d : found.designs)
    if (d.sized.kinds == chosen.kinds && d.verdict != Verdict::impossible && d.verdict != Verdict::over_budget &&
        d.verdict != Verdict::bound)
      prices[d.sized.least_usd_per_hour].push_back(&d.sized);
  return prices;
}

class Cheapest {
 public:
  Cheapest(const Study& study, Runs& runs) : study_(study), runs_(runs), usd_(range_draws) {}

  /// Tries these designs in every draw, or in those that have no design yet; whether any kept its promises.
  bool try_all(const std::vector<const SizedDesign*>& designs, bool only_open) {
    std::vector<DrawRequest> requests;
    for (const SizedDesign* sized : designs)
      for (std::int64_t draw = 1; draw <= range_draws; ++draw)
        if (!only_open || !of(draw)) requests.push_back({.sized = sized, .draw = draw});
    const std::vector<DrawOutcome> outcomes = runs_.judge(requests);
    bool any = false;
    for (std::size_t i = 0; i < requests.size(); ++i) {
      if (!outcomes[i].kept || !outcomes[i].run) continue;
      any = true;
      std::optional<double>& known = of(requests[i].draw);
      const double usd = hour_cost(study_, *requests[i].sized, *outcomes[i].run).usd();
      known = std::min(usd, known.value_or(usd));
    }
    return any;
  }

  bool all_known() const {
    return std::ranges::all_of(usd_, [](const std::optional<double>& usd) { return usd.has_value(); });
  }

  /// A draw without a design costs at least as much as the dearest that is known.
  CostRange range() const {
    std::vector<double> values;
    for (const std::optional<double>& usd : usd_)
      if (usd) values.push_back(*usd);
    const double dearest = std::ranges::max(values);
    values.resize(usd_.size(), dearest);
    return {.low_usd_per_hour = quantile(values, 0.05),
            .high_usd_per_hour = quantile(values, 0.95),
            .open = !all_known()};
  }

 private:
  std::optional<double>& of(std::int64_t draw) { return usd_[static_cast<std::size_t>(draw - 1)]; }

  const Study& study_;
  Runs& runs_;
  std::vector<std::optional<double>> usd_;  // by draw
};

}  // namespace

std::optional<CostRange> cost_range(const Study& study, Runs& runs, const SearchResult& found) {
  if (found.best.size() != 1 || found.draws.error_per_look <= 0 || study.spec.goal != "least_cost")
    return std::nullopt;
  const SizedDesign& chosen = found.designs[found.best.front()].sized;
  const Prices prices = prices_of(found, chosen);
  Cheapest cheapest(study, runs);
  const auto at = prices.find(chosen.least_usd_per_hour);
  if (!cheapest.try_all({&chosen}, false)) return std::nullopt;
  auto below = at;
  for (int tried = 0; below != prices.begin() && tried < most_prices; ++tried)
    if (!cheapest.try_all((--below)->second, false)) break;
  auto above = at;
  for (int tried = 0; above != prices.end() && tried < most_prices && !cheapest.all_known(); ++tried, ++above)
    cheapest.try_all(above->second, true);
  return cheapest.range();
}

}  // namespace servecast
