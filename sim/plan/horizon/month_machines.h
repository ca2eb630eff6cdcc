#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sim/plan/horizon/terms.h"
#include "sim/plan/study/space.h"

namespace servecast {

class Evaluator;
struct Study;

/// One design of a month, as a buyer sees it.
struct MonthDesign {
  Design design{};
  std::string kinds{};     // of GPU
  std::string words{};     // its settings
  std::string machines{};  // in words
  std::optional<double> requests_per_s{};
  std::map<std::string, std::int64_t> gpus{};  // that are paid for, by kind: unused and spare ones, too
  std::map<std::string, double> scenario_usd_per_gpu_hour{};  // of these
  double beside_usd_per_month = 0;                            // all that is not rent of GPUs
  double w_per_gpu = 0;                                       // mean draw, nodes included
  std::int64_t gpus_per_node = 1;                             // the fewest
};

struct MonthDesigns {
  std::vector<MonthDesign> best{};  // the chosen one first, then the best of each other kind of GPU
};

MonthDesigns month_designs(const Study& study, Evaluator& evaluator);

/// What a GPU-month of this kind costs: on demand and spot for a month, the horizon's commitments for theirs. Owned:
/// the purchase of the GPU and of its part of a server over these months, and its electricity. Of the first of the
/// months that has such GPUs.
std::vector<TermOffer> term_offers(const Study& study, const std::string& gpu,
                                   const std::vector<const MonthDesign*>& months);

}  // namespace servecast
