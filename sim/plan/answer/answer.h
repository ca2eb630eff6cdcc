#pragma once
#include <functional>
#include <string>
#include <vector>

namespace servecast {

struct PlanReport;
class Runs;
struct SearchResult;
struct SizedDesign;
class Sizer;
struct Study;

/// One input of the chosen design, changed a little.
struct InputChange {
  std::string input{};  // "rate"
  double factor = 1;
  double price_factor = 1;         // on every price
  double rate_factor = 1;          // on the demand
  std::vector<std::string> set{};  // "path=value"
};

/// Changes that only the caller can make: those that need files. May be empty.
using MoreChanges = std::function<std::vector<InputChange>(const SizedDesign&)>;

/// All that plan.json says, head-room and sensitivities included: these are runs at the best estimate. Sensitivities
/// are those of the chosen design; a front has none.
PlanReport plan_report(const Study& study, Sizer& sizer, Runs& runs, const SearchResult& found,
                       const MoreChanges& more);

}  // namespace servecast
