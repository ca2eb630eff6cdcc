#include "calibrate/measure/expert_visits.h"

#include <algorithm>
#include <numeric>

namespace servecast {
namespace {

constexpr double exponent = 1.01;

std::vector<std::int64_t> balanced(const ExpertVisits& visits) {
  const std::int64_t all = visits.tokens * visits.top_k;
  std::vector<std::int64_t> loads(static_cast<std::size_t>(visits.experts), all / visits.experts);
  for (std::int64_t i = 0; i < all % visits.experts; ++i) ++loads[static_cast<std::size_t>(i)];
  return loads;
}

/// By the inverse of the distribution function.
double power_law(double low, double high, double uniform) {
  const double power = 1 - exponent;
  const double from = stable::pow(low, power);
  return stable::pow((stable::pow(high, power) - from) * uniform + from, 1 / power);
}

std::vector<std::int64_t> skewed(const ExpertVisits& visits, Rng& rng) {
  const auto all = static_cast<double>(visits.tokens * visits.top_k);
  const bool few = all <= static_cast<double>(visits.experts);
  std::vector<double> drawn;
  for (std::int64_t i = 0; i < visits.experts; ++i)
    drawn.push_back(few ? power_law(0.01, 2, rng.uniform())
                        : power_law(1, std::max(0.8 * static_cast<double>(visits.tokens), 1.0), rng.uniform()));
  const double scale = all / std::accumulate(drawn.begin(), drawn.end(), 0.0);
  std::vector<std::int64_t> loads;
  for (const double load : drawn)
    loads.push_back(std::min(static_cast<std::int64_t>(load * scale + 0.5), visits.tokens));
  return loads;
}

/// What rounding and the limit of one visit per token left over or took too much, expert by expert.
void balance_sum(const ExpertVisits& visits, std::vector<std::int64_t>& loads) {
  std::int64_t missing = visits.tokens * visits.top_k - std::accumulate(loads.begin(), loads.end(), std::int64_t{0});
  for (std::size_t i = 0; missing != 0; i = (i + 1) % loads.size()) {
    const bool more = missing > 0;
    if (more ? loads[i] == visits.tokens : loads[i] == 0) continue;
    loads[i] += more ? 1 : -1;
    missing -= more ? 1 : -1;
  }
}

}  // namespace

std::optional<std::vector<std::int64_t>> expert_loads(const ExpertVisits& visits, std::string_view mode, Rng& rng) {
  if (mode == "balanced") return balanced(visits);
  if (mode != "power_law_1.01") return std::nullopt;
  std::vector<std::int64_t> loads = skewed(visits, rng);
  balance_sum(visits, loads);
  return loads;
}

std::vector<float> gate_logits(const ExpertVisits& visits, const std::vector<std::int64_t>& loads, Rng& rng) {
  std::vector<float> logits(static_cast<std::size_t>(visits.tokens * visits.experts));
  for (float& logit : logits) logit = static_cast<float>(-rng.uniform());
  // Visits in the order of experts go to one token after the other: those of one expert, being no more than the
  // tokens, all to different ones.
  std::int64_t visit = 0;
  for (std::size_t expert = 0; expert < loads.size(); ++expert)
    for (std::int64_t i = 0; i < loads[expert]; ++i, ++visit)
      logits[static_cast<std::size_t>(visit % visits.tokens * visits.experts) + expert] =
          static_cast<float>(1 + rng.uniform());
  return logits;
}

}  // namespace servecast
