#pragma once
#include <compare>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sim/plan/horizon/terms.h"
#include "sim/plan/study/space.h"

namespace servecast {

class Evaluator;
struct Study;

/// GPUs of one kind that are to be had; some may be called back, since the design was simulated so.
struct GpuNeed {
  std::string gpu{};
  bool may_be_called_back = false;
  auto operator<=>(const GpuNeed&) const = default;
};

/// One design of a month, as a buyer sees it.
struct MonthDesign {
  Design design{};
  std::string kinds{};     // of GPU
  std::string words{};     // its settings
  std::string machines{};  // in words
  std::optional<double> requests_per_s{};
  std::map<GpuNeed, std::int64_t> gpus{};                     // that are held throughout: unused and spare ones, too
  std::map<std::string, double> scenario_usd_per_gpu_hour{};  // of these, by kind
  double by_the_hour_usd_per_month = 0;  // replicas that come and go, beyond those that are always held
  double beside_usd_per_month = 0;       // all that is not rent or purchase
  double w_per_gpu = 0;                  // mean draw, nodes included
  double power_usd_per_gpu_month = 0;    // of that, what is in beside_usd_per_month
  std::int64_t gpus_per_node = 1;        // the fewest
};

struct MonthDesigns {
  std::vector<MonthDesign> best{};  // the chosen one first, then the best of each other kind of GPU
};

MonthDesigns month_designs(const Study& study, Evaluator& evaluator);

/// What a GPU-month of this kind costs: on demand and spot for a month, the horizon's commitments for theirs. Owned:
/// the purchase of the GPU and of its part of a server over these months, and its electricity. Of the first of the
/// months that has such GPUs. Spot, where they may be called back.
std::vector<TermOffer> term_offers(const Study& study, const GpuNeed& need,
                                   const std::vector<const MonthDesign*>& months);

}  // namespace servecast
