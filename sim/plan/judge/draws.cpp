#include "sim/plan/judge/draws.h"

#include <algorithm>
#include <cmath>

#include "models/base/binomial.h"
#include "sim/plan/study/study_spec.h"

namespace servecast {
namespace {

constexpr std::size_t most_looks = 6;
constexpr std::int64_t second_look = 5;  // times the first
constexpr double draws_close_enough = 1.01;

/// The smallest n with chance^n <= error.
std::int64_t certain_after(double chance, double error) {
  std::int64_t n = 1;
  for (double together = chance; together > error; together *= chance) ++n;
  return n;
}

/// Where `below` turns from true to false, between 0 and 1.
template <class Below>
double turning_point(Below below) {
  double low = 0;
  double high = 1;
  for (int halving = 0; halving < 50; ++halving) {
    const double middle = (low + high) / 2;
    (below(middle) ? low : high) = middle;
  }
  return (low + high) / 2;
}

}  // namespace

DrawPlan plan_draws(const PromiseSpec& promise, std::int64_t designs) {
  DrawPlan plan{.looks = {}, .draws_fraction = promise.draws_fraction};
  plan.error_per_look = promise.error_fraction / static_cast<double>(designs) / static_cast<double>(most_looks);
  const std::int64_t ruled_out = certain_after(1 - promise.draws_fraction, plan.error_per_look);
  const std::int64_t kept = certain_after(promise.draws_fraction, plan.error_per_look);
  const std::int64_t most = promise.most_draws.value_or(8 * kept);
  for (const std::int64_t look : {ruled_out, second_look * ruled_out, kept, 2 * kept, 4 * kept, 8 * kept}) {
    const std::int64_t draws = std::min(look, most);
    if (plan.looks.empty() || draws > plan.looks.back()) plan.looks.push_back(draws);
  }
  plan.looks.back() = most;
  plan.patience = 2 * kept;
  return plan;
}

DrawVerdict verdict(const DrawPlan& plan, const DrawCount& count) {
  const auto chance = [&](auto tail, std::int64_t kept) { return tail(kept, count.look, plan.draws_fraction); };
  if (chance(binomial_at_least, count.kept_at_least()) <= plan.error_per_look) return DrawVerdict::keeps;
  if (chance(binomial_at_most, count.kept_at_most()) <= plan.error_per_look) return DrawVerdict::breaks;
  return DrawVerdict::open;
}

std::optional<std::int64_t> draws_that_would_tell(const DrawPlan& plan, const DrawCount& count,
                                                  std::int64_t most) {
  const double share = static_cast<double>(count.kept) / static_cast<double>(count.draws);
  const auto tells = [&](std::int64_t draws) {
    const std::int64_t kept = std::llround(share * static_cast<double>(draws));
    return verdict(plan, {.look = draws, .draws = draws, .kept = kept}) != DrawVerdict::open;
  };
  std::int64_t too_few = count.draws;
  std::int64_t enough = std::min(2 * too_few, most);
  while (!tells(enough)) {
    if (enough >= most) return std::nullopt;
    too_few = enough;
    enough = std::min(2 * enough, most);
  }
  while (static_cast<double>(enough) > draws_close_enough * static_cast<double>(too_few) + 1) {
    const std::int64_t middle = (too_few + enough) / 2;
    (tells(middle) ? enough : too_few) = middle;
  }
  return enough;
}

bool worth_more_draws(const DrawPlan& plan, const DrawCount& count) {
  if (count.draws < plan.patience) return true;
  return draws_that_would_tell(plan, count, plan.looks.back()).has_value();
}

ShareInterval share_interval(const DrawCount& count, double error_fraction) {
  const double tail = error_fraction / 2;
  const std::int64_t least = count.kept_at_least();
  const std::int64_t most = count.kept_at_most();
  ShareInterval interval;
  if (least > 0)
    interval.low = turning_point([&](double p) { return p <= 0 || binomial_at_least(least, count.look, p) < tail; });
  if (most < count.look)
    interval.high = turning_point([&](double p) { return p <= 0 || binomial_at_most(most, count.look, p) > tail; });
  return interval;
}

}  // namespace servecast
