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
  double idle_usd_per_month = 0;  // of that, what a month costs in which the GPU is not needed: of commitments
};

/// How many GPUs of one kind are held under each term, month by month.
struct TermPlan {
  std::vector<std::map<std::string, std::int64_t>> held{};
  double usd = 0;
  double later_usd = 0;  // what commitments cost after the last month
};

/// The cheapest way to have at least `needed` GPUs of a kind in every month. An offer taken in a month covers the
/// months from it on, so this is covering by intervals: a flow of least cost through the months, exactly. Months of a
/// commitment after the last one are in `usd` where `count_later`.
TermPlan cheapest_terms(const std::vector<std::int64_t>& needed, const std::vector<TermOffer>& offers,
                        bool count_later = false);

/// What it costs to have `needed` where `plan` holds commitments that were made before: what is lacking is taken at
/// the cheapest offer that binds for a month.
double cost_of_following(const TermPlan& plan, const std::vector<std::int64_t>& needed,
                         const std::vector<TermOffer>& offers);

}  // namespace servecast
