#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "sim/input/resolve/load_scenario.h"
#include "sim/input/scenario/hardware_files.h"
#include "sim/input/yaml/yaml_fields.h"
#include "sim/plan/judge/best_case.h"
#include "sim/plan/judge/machines.h"
#include "sim/plan/judge/workload_facts.h"
#include "sim/plan/study/objective.h"
#include "sim/plan/study/space.h"

namespace servecast {

struct Override;
struct Study;

/// What is known of a design before anything is simulated.
struct SizedDesign {
  Design design{};
  std::vector<std::string> set{};  // "path=value": makes the base scenario this design, under the forecast demand
  std::string kinds{};             // of GPU: "a100_sxm_80g + h100_sxm_80g"; empty: outside APIs do all
  bool derived = false;            // some GPU's kernels were not measured
  std::string impossible{};        // why machines and model do not go together; empty: they do
  std::string over_budget{};       // which budget it breaks; empty: none
  BestCase best_case{};            // by the best estimate
  Machines machines{};
  std::string term{};  // that its machines are paid under
  double least_usd_per_hour = 0;
  std::vector<Promise> promises{};
};

/// Sizes designs by the code that checks scenarios, and holds them against what no machine can beat.
class Sizer {
 public:
  explicit Sizer(const Study& study);

  const std::string& scenario_file() const;

  /// Throws UserError where a design is a mistake: a setting that does not exist, an unknown GPU.
  SizedDesign size(const Design& design);

  /// Requests of a design under one seed, at its rate.
  const WorkloadFacts& workload(const SizedDesign& sized, std::int64_t seed);

  /// True where the bound says that the design breaks its promise in this draw of calibration error and seed, too.
  bool broken_at_best(const SizedDesign& sized, std::int64_t draw);

  /// What the promised figure comes to in this draw, over what the run says: see error_bars.h.
  double error_factor(const SizedDesign& sized, const Promise& promise, std::int64_t draw) const;

  /// Seed of the draw: 0 is the best estimate.
  std::int64_t seed(const SizedDesign& sized, std::int64_t draw);

  /// Until another design is asked about.
  const ScenarioSpec& spec_of(const SizedDesign& sized);

  /// Whether "path=value" of the workload make other requests of it: lengths whose blocks a trace tells stay.
  bool changes_workload(const SizedDesign& sized, const std::vector<std::string>& set);

 private:
  /// All that the luck of a pool in a draw depends on: profile, GPUs measured and scaled to, names of engine and GPU,
  /// whether the model has experts, layout, spread, draw.
  using DrawOf = std::tuple<const KernelProfile*, const Gpu*, const Gpu*, std::string, std::string, bool,
                            std::string_view, double, std::int64_t>;

  YamlText text_of(const Design& design) const;
  std::vector<Override> term_settings(const Design& design, const ScenarioSpec& spec) const;
  const WorkloadFacts& workload(const ScenarioSpec& spec, std::int64_t seed, const Design& design);
  const SizedScenario& scenario(const Design& design);
  double rate_factor(const Design& design) const;
  double fastest_of(const Pool& pool, double spread, std::int64_t draw);

  const Study& study_;
  YamlText base_;
  HardwareFiles files_{};
  BestCases best_cases_{};
  std::map<std::string, std::unique_ptr<WorkloadFacts>> workloads_{};
  std::map<DrawOf, double> fastest_{};  // never walked: its order is that of memory
  std::optional<std::pair<Design, SizedScenario>> latest_{};
};

}  // namespace servecast
