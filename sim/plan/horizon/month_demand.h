#pragma once
#include <string>
#include <vector>

namespace servecast {

struct HorizonSpec;
struct Study;

/// What one month asks for.
struct MonthDemand {
  double rate_factor = 1;          // over the study's demand
  std::vector<std::string> set{};  // changes of the base scenario in that month

  bool operator==(const MonthDemand&) const = default;
};

/// Month by month; growth is `growth_error` (a fraction, with its sign) larger than the study says. Rates are rounded
/// up to three digits, so that months that are alike are one search.
std::vector<MonthDemand> month_demands(const HorizonSpec& horizon, double growth_error);

/// The study of one such month.
Study study_of(const Study& study, const MonthDemand& month);

}  // namespace servecast
