#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/input/scenario/scenario.h"
#include "sim/plan/study/horizon_spec.h"
#include "sim/plan/study/price_spec.h"

namespace servecast {

// A study file, key by key: what `servecast plan` is asked.

/// How much more arrives than the base scenario says.
struct DemandSpec {
  double growth_factor = 1;
  std::optional<double> peak_factor{};
  std::vector<double> hourly{};

  void fields(Fields& f) {
    f.field("growth_factor", growth_factor, "forecast mean rate over the base scenario's", positive);
    f.field("peak_factor", peak_factor,
            "rate that the promise is for, over the mean rate; left out: from hourly, or 1", at_least_one);
    f.field("hourly", hourly, "day curve: 24 rates in any unit; the largest over their mean is the peak factor");
  }
};

/// One promise, about all requests or one class of them. Without any, the scenario's own `slo` is the promise.
struct ObjectiveSpec {
  std::string metric;
  std::string request_class{};
  std::optional<std::int64_t> percentile{};
  std::optional<double> at_most{};
  std::optional<double> at_least{};

  void fields(Fields& f) {
    f.required(
        "metric", metric,
        "ttft_s, tpot_s, e2e_s: a percentile of it; attained_fraction: share that keeps `slo`; or the key of any "
        "figure of a report (figures.md), such as e2e_s.mean or cost.usd_per_request");
    f.field("class", request_class, "of these requests; left out: of all. Not for figures of a report");
    f.field("percentile", percentile, "50, 90, 95, 99 or 100 (the maximum), of all requests that arrive",
            {.min = 50, .max = 100});
    f.field("at_most", at_most, "bound on that percentile or figure");
    f.field("at_least", at_least, "bound on attained_fraction or that figure");
  }
};

struct GpuBudgetSpec {
  std::string gpu;
  std::int64_t at_hand = 0;

  void fields(Fields& f) {
    f.required("gpu", gpu, "kind of GPU, as pools name it");
    f.required("at_hand", at_hand, "so many of them can be had");
  }
};

struct BudgetSpec {
  std::optional<double> usd_per_hour{};
  std::optional<double> power_w{};
  std::vector<GpuBudgetSpec> gpus{};

  void fields(Fields& f) {
    f.field("usd_per_hour", usd_per_hour,
            "most that a design may cost, bills of the gateway and of outside APIs included", positive);
    f.field("power_w", power_w, "most that it may draw with every GPU at its cap", positive);
    f.list("gpus", gpus, "kinds of GPU of which only so many can be had");
  }
};

struct AvailabilitySpec {
  double mtbf_s = 0;
  double mttr_s = 0;
  double target_fraction = 0.999;

  void fields(Fields& f) {
    f.required("mtbf_s", mtbf_s, "mean time between failures of one node", positive);
    f.required("mttr_s", mttr_s, "mean time until it is back");
    f.field("target_fraction", target_fraction, "share of time in which the whole design shall be up",
            {.min = 0, .max = 0.999999});
  }
};

/// When a design counts as keeping its promise.
struct PromiseSpec {
  std::string certainty = "draws";
  double draws_fraction = 0.95;
  double error_fraction = 0.05;
  std::optional<std::int64_t> most_draws{};
  std::string error_bars = "measured";
  std::optional<double> most_lost_points{};

  void fields(Fields& f) {
    f.field("certainty", certainty,
            "draws: in most draws of calibration error and seed; best_estimate: in one run, as the scenario is",
            {"draws", "best_estimate"});
    f.field("draws_fraction", draws_fraction, "share of draws that shall keep it", {.min = 0.5, .max = 0.999});
    f.field("error_fraction", error_fraction, "chance that any verdict by draws is wrong", {.min = 1e-6, .max = 0.5});
    f.field("most_draws", most_draws, "of one design; left out: as many as a verdict may need", at_least_one);
    f.field(
        "error_bars", error_bars,
        "of draws. measured: as wide as forecasts were off on measured servers (accuracy.md), also where kernels are "
        "derived; calibration: what engines and kernels alone say",
        {"measured", "calibration"});
    f.field("most_lost_points", most_lost_points,
            "options that lose more of the answers' score than this keep no promise; left out: any may");
  }
};

/// One value of a dimension that is several settings at once.
struct OptionSpec {
  std::string name;
  std::vector<std::string> set{};

  void fields(Fields& f) {
    f.required("name", name, "what the answer and the constraints call it");
    f.field("set", set, "path=value, as after --set");
  }
};

/// One dimension of the space: `path` with `values` or `from` and `to`, or `options`.
struct DimensionSpec {
  std::string name;
  std::string path{};
  std::vector<std::string> values{};
  std::optional<std::int64_t> from{};
  std::optional<std::int64_t> to{};
  std::int64_t step = 1;
  std::vector<OptionSpec> options{};
  std::string when{};

  void fields(Fields& f) {
    f.required("name", name, "what the answer and the constraints call it");
    f.field("path", path, "setting of the scenario, e.g. pools[0].replicas");
    f.field("values", values, "that it takes");
    f.field("from", from, "in place of values: whole numbers from here");
    f.field("to", to, "up to here");
    f.field("step", step, "and so far apart", at_least_one);
    f.list("options", options, "in place of path: values that are several settings each");
    f.field("when", when, "expression over dimensions above: otherwise the design does without this one");
  }
};

struct SearchSpec {
  std::int64_t most_designs = 100000;
  std::int64_t restarts = 8;

  void fields(Fields& f) {
    f.field("most_designs", most_designs, "in a larger space designs are tried at random, and nothing is proven",
            at_least_one);
    f.field("restarts", restarts, "starting points of that search", at_least_one);
  }
};

struct StudySpec {
  std::string name = "unnamed";
  std::string scenario{};
  std::optional<ScenarioSpec> base{};
  std::vector<std::string> set{};
  DemandSpec demand{};
  std::vector<ObjectiveSpec> objectives{};
  BudgetSpec budgets{};
  PriceSpec prices{};
  std::optional<AvailabilitySpec> availability{};
  PromiseSpec promise{};
  std::vector<DimensionSpec> space{};
  std::vector<std::string> constraints{};
  std::string goal = "least_cost";
  std::vector<double> rate_factors{};
  SearchSpec search{};
  std::optional<HorizonSpec> horizon{};
  std::vector<IdeaSpec> options{};
  std::int64_t most_together = 2;

  void fields(Fields& f) {
    f.field("name", name, "title of the answer");
    f.field("scenario", scenario, "the base scenario, a YAML file; as seen from the folder of this file");
    f.group("base", base, "the base scenario itself, in place of its file");
    f.field("set", set, "path=value changes of the base scenario, for every design");
    f.group("demand", demand, "forecast of what arrives");
    f.list("objectives", objectives, "what is promised; left out: the scenario's slo");
    f.group("budgets", budgets, "what a design may cost and use");
    f.group("prices", prices, "what GPUs cost; left out: the scenario's rent");
    f.group("availability", availability, "failures of nodes: spares are paid for");
    f.group("promise", promise, "when a design counts as keeping its promise");
    f.list("space", space, "dimensions of the designs", true);
    f.field("constraints", constraints, "expressions over dimensions that every design must fulfil");
    f.field(
        "goal", goal,
        "least_cost, least_energy: for the demand; most_goodput: the highest rate factor kept; pareto_throughput: "
        "output tokens/s per user against per GPU; pareto_cost: cost against p99 of TTFT; pareto_quality: cost, p99 "
        "of "
        "TTFT and the answers' expected score; every cost has bills of the gateway and of outside APIs in it",
        {"least_cost", "least_energy", "most_goodput", "pareto_throughput", "pareto_cost", "pareto_quality"});
    f.field("rate_factors", rate_factors, "for most_goodput: demands to try, over the forecast one", positive);
    f.group("search", search, "how large a space is searched in full");
    f.group("horizon", horizon, "months to plan for; left out: the demand is planned for, not its growth");
    f.list("options", options, "ideas, each sized to its own cheapest design and ranked; goal least_cost");
    f.field("most_together", most_together, "options that are tried together; 1: each alone", {.min = 1, .max = 4});
  }
};

}  // namespace servecast
