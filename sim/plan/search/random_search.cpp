#include "sim/plan/search/random_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>

#include "models/base/error.h"
#include "models/base/rng.h"
#include "sim/plan/judge/hour_cost.h"
#include "sim/plan/search/runs.h"
#include "sim/plan/search/search.h"
#include "sim/plan/search/shard.h"
#include "sim/plan/study/study.h"

namespace servecast {
namespace {

constexpr std::int64_t most_misses = 10000;  // random points that no constraint allows, before it gives up

/// Smaller is better: first designs that can be had, then by how far the promise is missed, then by the goal.
using Score = std::tuple<int, double, GoalValue>;

const Score cannot_be_had{2, 0, {}};

using Values = std::vector<std::size_t>;  // by dimension; the last is the rate factor's

class Climber {
 public:
  Climber(const Study& study, Sizer& sizer, Runs& runs)
      : study_(study), sizer_(sizer), runs_(runs), rng_(0, "random_designs") {}

  /// The same for every share.
  std::vector<Values> starts() {
    std::vector<Values> all;
    for (std::int64_t i = 0; i < study_.spec.search.restarts; ++i) all.push_back(random_point());
    return all;
  }

  void climb(Values at) {
    look_at({at});
    for (bool better = true; better;) {
      const std::vector<Values> around = neighbours(at);
      look_at(around);
      better = false;
      for (const Values& next : around)
        if (scores_.contains(next) && scores_.at(next) < scores_.at(at)) {
          at = next;
          better = true;
        }
    }
  }

  std::vector<Design> looked_at() const {
    std::vector<Design> all;
    for (const auto& [values, score] : scores_) {
      Design design = *of(values);
      if (std::ranges::find(all, design.chosen, &Design::chosen) != all.end() && study_.spec.rate_factors.empty())
        continue;  // they differ in a dimension that is not in use
      design.index = static_cast<std::int64_t>(all.size());
      all.push_back(std::move(design));
    }
    return all;
  }

 private:
  std::size_t count(std::size_t dimension) const {
    if (dimension < study_.dimensions.size()) return study_.dimensions[dimension].values.size();
    return std::max<std::size_t>(1, study_.spec.rate_factors.size());
  }

  std::optional<Design> of(const Values& values) const {
    const double factor = study_.spec.rate_factors.empty() ? 1 : study_.spec.rate_factors[values.back()];
    return design_of(study_, {values.begin(), values.end() - 1}, factor);
  }

  Values random_point() {
    for (std::int64_t miss = 0; miss < most_misses; ++miss) {
      Values values;
      for (std::size_t d = 0; d <= study_.dimensions.size(); ++d) values.push_back(rng_.below(count(d)));
      if (of(values)) return values;
    }
    throw UserError(fmt::format("of {} random designs none keeps the constraints; loosen them", most_misses));
  }

  std::vector<Values> neighbours(const Values& at) const {
    std::vector<Values> all;
    for (std::size_t d = 0; d < at.size(); ++d)
      for (std::size_t value = 0; value < count(d); ++value) {
        if (value == at[d] || (ordered(d) && value + 1 != at[d] && value != at[d] + 1)) continue;
        all.push_back(at);
        all.back()[d] = value;
        if (!of(all.back())) all.pop_back();
      }
    return all;
  }

  /// Numbers are walked along step by step; of names each is as near as any other.
  bool ordered(std::size_t dimension) const {
    if (dimension >= study_.dimensions.size()) return true;
    return std::ranges::all_of(study_.dimensions[dimension].values, [](const DimensionValue& v) {
      return std::holds_alternative<double>(value_of_text(v.name));
    });
  }

  void look_at(const std::vector<Values>& points) {
    std::vector<SizedDesign> sized;
    std::vector<const Values*> whose;
    for (const Values& values : points) {
      if (scores_.contains(values)) continue;
      SizedDesign one = sizer_.size(*of(values));
      if (!one.impossible.empty() || !one.over_budget.empty()) {
        scores_[values] = cannot_be_had;
        continue;
      }
      sized.push_back(std::move(one));
      whose.push_back(&values);
    }
    std::vector<DrawRequest> requests;
    for (const SizedDesign& one : sized) requests.push_back({&one, 0});
    const std::vector<DrawOutcome> outcomes = runs_.judge(requests);
    for (std::size_t i = 0; i < outcomes.size(); ++i) scores_[*whose[i]] = score(sized[i], outcomes[i]);
  }

  Score score(const SizedDesign& sized, const DrawOutcome& outcome) const {
    if (!outcome.kept || !outcome.run) return {1, outcome.miss, {}};
    if (over_budget(study_, sized, *outcome.run)) return cannot_be_had;
    return {0, 0, goal_value(study_, sized, *outcome.run)};
  }

  const Study& study_;
  Sizer& sizer_;
  Runs& runs_;
  Rng rng_;
  std::map<Values, Score> scores_{};
};

}  // namespace

std::vector<Design> random_designs(const Study& study, Sizer& sizer, Runs& runs, const Shard& share) {
  Climber climber(study, sizer, runs);
  for (Values& start : dealt(climber.starts(), share)) climber.climb(std::move(start));
  return climber.looked_at();
}

}  // namespace servecast
