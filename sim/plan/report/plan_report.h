#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/base/fields.h"

namespace servecast {

// The struct behind plan.json. Members are spelled as the keys; docs/plan.md explains each.

/// One promise of one design: at the best estimate, and over draws of calibration error and seed.
struct PromiseFigures {
  std::string promise{};
  std::function<std::string(double)> text{};  // of its values, as people read them; not in JSON
  std::optional<double> value{};
  std::optional<double> p05{};
  std::optional<double> p95{};
  void fields(Fields& f);
};

struct TermPrice {
  std::string term{};
  double usd_per_hour = 0;
  void fields(Fields& f);
};

/// One line of the account of an hour.
struct CostShare {
  std::string item{};
  double usd_per_hour = 0;
  void fields(Fields& f);
};

/// What happens to cost and latency when one input changes.
struct Sensitivity {
  std::string input{};
  double factor = 1;  // on that input
  std::optional<double> usd_per_hour{};
  std::optional<double> usd_per_million_output_tokens{};
  std::optional<double> ttft_p99_s{};
  std::optional<double> tpot_p99_s{};
  bool kept = false;
  void fields(Fields& f);
};

/// What the figures of a design are those of: a whole run at the best estimate; one of a draw of calibration error
/// and seed; the beginning of the workload, which was enough to rule the design out.
inline constexpr std::string_view best_estimate_figures = "best_estimate";
inline constexpr std::string_view draw_figures = "draw";
inline constexpr std::string_view beginning_figures = "beginning";

/// One design of the space, and how it was judged.
struct PlanDesign {
  std::int64_t design = 0;
  std::vector<std::string> settings{};  // "dimension=value"
  std::vector<std::string> set{};       // "path=value" on the base scenario: that of this design; not in JSON
  std::string verdict{};
  std::string why{};
  std::string says{};  // verdict and why, as a sentence
  bool front = false;
  std::int64_t gpus = 0;
  std::int64_t nodes = 0;
  std::int64_t spare_nodes = 0;
  std::optional<double> usd_per_hour{};
  double best_case_overload = 0;
  std::int64_t draws = 0;
  std::int64_t kept_draws = 0;
  std::optional<double> kept_fraction_low{};
  std::optional<double> kept_fraction_high{};
  std::string figures_of{};  // those that follow; empty: nothing was simulated
  std::optional<double> attained_fraction{};
  std::optional<double> ttft_p99_s{};
  std::optional<double> tpot_p99_s{};
  std::optional<double> tokens_per_s_per_user{};
  std::optional<double> tokens_per_s_per_gpu{};
  std::optional<double> score{};
  void fields(Fields& f);
};

/// One of the best designs, in full.
struct PlanAnswer {
  std::optional<double> outside_usd_per_hour{};  // of usd_per_hour: what comes with the requests
  std::optional<double> score{};
  std::optional<double> lost_points{};  // absent where that is not published
  std::int64_t design = 0;
  std::vector<std::string> settings{};
  std::vector<std::string> set{};  // "path=value": with the base scenario, the scenario of this design
  std::string machines{};          // "14 H100 SXM 80GB on 2 nodes"
  std::optional<double> requests_per_s{};
  std::int64_t gpus = 0;
  std::int64_t nodes = 0;
  std::int64_t spare_nodes = 0;
  double usd_per_hour = 0;
  double usd_per_month = 0;
  std::optional<double> usd_per_month_low{};   // of the cheapest design that keeps its promises, draw by draw: 5 %
  std::optional<double> usd_per_month_high{};  // 95 %
  bool high_is_open = false;                   // in some draw none did that was tried
  std::vector<CostShare> cost_lines{};
  std::optional<double> usd_per_request{};
  std::optional<double> usd_per_million_output_tokens{};
  std::optional<double> mean_usd_per_request{};  // at the mean rate of the day, machines paid around the clock
  std::optional<double> mean_usd_per_million_output_tokens{};
  double mean_w = 0;
  std::vector<TermPrice> terms{};
  std::vector<PromiseFigures> promises{};
  std::optional<double> head_room_factor{};
  std::string binding{};
  std::vector<Sensitivity> sensitivities{};
  void fields(Fields& f);
};

/// The best design of one kind of GPU.
struct PlanKind {
  std::string gpus{};  // kinds, as pools name them
  std::int64_t designs = 0;
  std::optional<std::int64_t> design{};  // none keeps its promises
  std::vector<std::string> settings{};
  std::string machines{};  // "14 H100 SXM 80GB on 2 nodes"
  std::optional<double> usd_per_hour{};
  std::optional<double> usd_per_month{};
  std::string says{};  // why there is none, or how well it keeps them
  void fields(Fields& f);
};

/// What to have in one month of the horizon.
struct PlanMonth {
  std::int64_t month = 0;  // 1 is the first
  std::optional<double> requests_per_s{};
  std::vector<std::string> settings{};
  std::string machines{};
  std::string terms{};  // GPUs by kind and term
  double usd = 0;       // of the month
  void fields(Fields& f);
};

/// Growth that is not as planned.
struct WrongGrowth {
  double growth_error_fraction = 0;  // of the growth
  std::optional<double> usd{};       // over the horizon, with the commitments of the plan
  std::optional<double> best_usd{};  // had it been known
  std::string says{};                // why there are no amounts
  void fields(Fields& f);
};

/// Options taken together, sized to their own cheapest design.
struct PlanIdea {
  std::string name{};  // "as it is", "fp8", "fp8 + cache"
  std::optional<std::int64_t> design{};
  std::vector<std::string> settings{};
  std::string machines{};
  std::optional<double> usd_per_month{};
  std::optional<double> usd_per_month_low{};
  std::optional<double> usd_per_month_high{};
  std::optional<double> saved_usd_per_month{};  // against "as it is"
  std::optional<double> sum_usd_per_month{};    // of several: what each alone saves, together
  std::optional<double> lost_points{};          // of the answers' score in percent; absent: not published
  std::string rests_on{};
  std::string says{};  // why there is no design
  void fields(Fields& f);
};

/// What was proven, and how.
struct Certificate {
  bool complete = false;  // every better design was ruled out
  std::string text{};
  std::int64_t designs = 0;
  std::int64_t impossible = 0;
  std::int64_t over_budget = 0;
  std::int64_t bound = 0;
  std::int64_t simulated = 0;
  std::int64_t not_needed = 0;
  std::int64_t undecided_by_bounds = 0;  // where nothing was simulated
  std::vector<std::string> not_ruled_out{};
  double draws_fraction = 0;  // 0: judged by one run at the best estimate
  double error_fraction = 0;
  void fields(Fields& f);
};

struct PlanReport {
  std::string headline{};  // the answer in a sentence
  std::string name{};
  std::string version{};
  std::string goal{};
  std::string scenario{};
  std::string scenario_file{};  // where it lies on this machine; not in JSON
  double rate_factor = 1;
  std::optional<double> requests_per_s{};       // that the promise is for
  std::optional<double> mean_requests_per_s{};  // over the day
  std::vector<PlanKind> kinds{};
  std::vector<PlanAnswer> answers{};  // the chosen design, or the front; empty: none keeps its promises
  std::vector<PlanMonth> months{};    // of the horizon
  std::optional<double> horizon_usd{};
  double later_usd = 0;               // of commitments that outlast the horizon: what is paid after it
  std::string horizon_says{};         // why there is no schedule
  std::string first_design_breaks{};  // when the first month's design breaks which promise; empty: it does not
  std::vector<WrongGrowth> wrong_growth{};
  std::vector<PlanIdea> ideas{};      // ranked: the cheapest first
  std::string closest{};              // then: the design that comes closest, and what it misses
  Certificate certificate{};
  std::vector<PlanDesign> designs{};
  void fields(Fields& f);
};

/// The text of plan.json.
std::string to_json(const PlanReport& report);

/// For the terminal.
std::string plan_text(const PlanReport& report, std::size_t width);

/// Writes the designs into the tables `plan`, `designs`, `settings` and `overrides` of a SQLite file, in place of
/// what was there.
void write_plan_tables(const std::string& file, const PlanReport& report);

/// Reads them back: name, goal, scenario, the certificate's text, designs. Throws UserError where the file is missing
/// or something else.
PlanReport read_plan_tables(const std::string& file);

}  // namespace servecast
