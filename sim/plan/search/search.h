#pragma once
#include <compare>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/plan/judge/draws.h"
#include "sim/plan/judge/sizer.h"
#include "sim/plan/search/shard.h"
#include "sim/report/summary/summary.h"

namespace servecast {

class Evaluator;
struct Study;

enum class Verdict : std::uint8_t {
  chosen,       // the best of those that keep their promises
  front,        // Pareto: nothing is better in both
  keeps,        // keeps its promises, and is no better than the chosen one
  undecided,    // draws do not tell: neither ruled out nor proven
  breaks,       // simulated: breaks a promise
  dominated,    // Pareto: another one is better in both
  bound,        // breaks a promise even at best
  impossible,   // machines and model do not go together
  over_budget,
  not_needed,   // no better than the chosen one whatever it does: not simulated
};
std::string_view word_of(Verdict verdict);

/// A run that tells something of a design.
struct SeenRun {
  Summary run{};
  std::int64_t draw = 0;   // 0: the best estimate
  bool beginning = false;  // of the workload: that was enough to rule the design out
};

struct DesignResult {
  SizedDesign sized{};
  Verdict verdict = Verdict::not_needed;
  std::string why{};
  std::int64_t broken_at_best = 0;  // of the draws that a first look may want, how many from the start
  std::int64_t draws = 0;
  std::int64_t kept = 0;                   // draws in which every promise was kept
  std::int64_t look = 0;                   // draws that the look was to have, had it not been clear before
  double miss = 0;                         // of the promise that was missed by most in any run; 1: just kept
  std::vector<std::vector<std::optional<double>>> values{};  // by whole run, by promise
  // Most designs never run, and a Summary is four times as large as all the rest.
  std::shared_ptr<const SeenRun> seen{};           // the last draw that counted; of the whole workload, where one was
  std::shared_ptr<const Summary> best_estimate{};  // where one was asked for

  DrawCount count() const { return {.look = look, .draws = draws, .kept = kept}; }
};

struct SearchResult {
  std::vector<DesignResult> designs{};  // in the order of the space; of a random search, those that were tried
  std::vector<std::size_t> best{};      // the chosen one, or the front; empty: none keeps its promises
  std::vector<std::size_t> next_best{};  // the best of each other kind of GPU that keeps its promises, best first
  bool exhaustive = true;
  bool simulated = true;  // false: nothing was, by size_up()
  DrawPlan draws{};
  std::int64_t comparisons = 0;  // designs that simulation had to judge

  /// Designs better than the chosen one that nothing has ruled out.
  std::vector<std::size_t> not_ruled_out() const;
};

/// Finds the best design and what rules out every better one. The order of runs and their number depend on results
/// only, never on time: the same study gives the same answer, whatever was known before.
///
/// With a share of the work: of the designs that bounds leave open, in the order of the search, every count-th, up to
/// the best of these. A share knows fewer designs that make others pointless than the whole search does at the same
/// design, so the shares together simulate all that the whole search asks for, and more. Of a space that is searched
/// at random a share has every count-th start.
SearchResult search(const Study& study, Sizer& sizer, Evaluator& evaluator, const Shard& share = {});

/// Everything but the simulations: what memory, budgets and bounds say of every design, as search() would have it.
SearchResult size_up(const Study& study, Sizer& sizer);

/// What is made small. Of two designs that are alike in what the goal says, the cheaper one is better.
struct GoalValue {
  double value = 0;         // USD per hour, watts, or the rate factor with a minus sign
  double usd_per_hour = 0;  // bills of gateway stages and outside APIs included

  auto operator<=>(const GoalValue&) const = default;
};
GoalValue goal_value(const Study& study, const SizedDesign& sized, const Summary& best_estimate);

/// The same before anything is simulated: never more than it will be, as bills only add to it.
GoalValue least_goal_value(const Study& study, const SizedDesign& sized);

/// Whether the goal is about something that outside APIs have a part in and no run counts: the power they draw, the
/// GPUs they take.
bool goal_leaves_out_apis(const Study& study);

}  // namespace servecast
