#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace servecast {

/// A price of a GPU-month, and for how many months it binds.
struct TermOffer {
  std::string term{};
  double usd_per_month = 0;
  std::int64_t months = 1;
};

/// How many GPUs of one kind are held under each term, month by month.
struct TermPlan {
  std::vector<std::map<std::string, std::int64_t>> held{};
  double usd = 0;
};

/// The cheapest way to have at least `needed` GPUs of a kind in every month. An offer taken in a month covers the
/// months from it on, so this is covering by intervals: a flow of least cost through the months, exactly. A
/// commitment that outlasts the last month is counted for its months up to there.
TermPlan cheapest_terms(const std::vector<std::int64_t>& needed, const std::vector<TermOffer>& offers);

/// What it costs to have `needed` where `plan` holds commitments that were made before: what is lacking is taken at
/// the cheapest offer that binds for a month.
double cost_of_following(const TermPlan& plan, const std::vector<std::int64_t>& needed,
                         const std::vector<TermOffer>& offers);

}  // namespace servecast
