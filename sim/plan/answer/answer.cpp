#include "sim/plan/answer/answer.h"

#include <fmt/format.h>

#include <algorithm>

#include "models/base/quantile.h"
#include "models/base/units.h"
#include "models/hw/power_cost/cost.h"
#include "sim/input/trace/workload/workload_spec.h"
#include "sim/plan/answer/certificate.h"
#include "sim/plan/answer/cost_range.h"
#include "sim/plan/answer/head_room.h"
#include "sim/plan/answer/headline.h"
#include "sim/plan/judge/hour_cost.h"
#include "sim/plan/judge/rent.h"
#include "sim/plan/judge/workload_facts.h"
#include "sim/plan/report/plan_report.h"
#include "sim/plan/runs/evaluator.h"
#include "sim/plan/search/pareto.h"
#include "sim/plan/search/runs.h"
#include "sim/plan/search/search.h"
#include "sim/plan/study/objective.h"
#include "sim/plan/study/study.h"
#include "sim/report/figures/figures.h"
#include "sim/report/summary/summary.h"

namespace servecast {
namespace {

constexpr double changed_by = 0.1;  // of an input that is changed to see what follows

std::optional<double> per_million_tokens(double usd_per_hour, const Summary& run) {
  if (run.output_tokens_per_s <= 0) return std::nullopt;
  return usd_per_hour / seconds_per_hour / run.output_tokens_per_s * 1e6;
}

std::optional<double> per_request(double usd_per_hour, const Summary& run) {
  if (run.requests_per_s <= 0) return std::nullopt;
  return usd_per_hour / seconds_per_hour / run.requests_per_s;
}

std::optional<double> p99(const std::optional<Statistics>& latency) {
  return latency ? std::optional(latency->p99) : std::nullopt;
}

std::vector<std::string> setting_words(const Study& study, const Design& design) {
  std::vector<std::string> all;
  for (std::size_t d = 0; d < design.chosen.size(); ++d)
    if (design.chosen[d]) all.push_back(study.dimensions[d].name + "=" + value_name(study, design, d));
  if (!study.spec.rate_factors.empty()) all.push_back(fmt::format("rate_factor={}", design.rate_factor));
  return all;
}

void add_figures(PlanDesign& row, const Summary& run, std::string_view of) {
  row.figures_of = of;
  row.attained_fraction = run.slo.attained_fraction;
  row.ttft_p99_s = p99(run.latencies.ttft_s);
  row.tpot_p99_s = p99(run.latencies.tpot_s);
  if (run.latencies.tpot_s && run.latencies.tpot_s->p50 > 0)
    row.tokens_per_s_per_user = 1 / run.latencies.tpot_s->p50;
  row.tokens_per_s_per_gpu = run.output_tokens_per_s / static_cast<double>(row.gpus);
  row.score = expected_score(run);
}

PlanDesign row(const Study& study, const DesignResult& d, const SearchResult& found) {
  const SizedDesign& sized = d.sized;
  PlanDesign row{.design = sized.design.index,
                 .settings = setting_words(study, sized.design),
                 .set = sized.set,
                 .verdict = std::string(word_of(d.verdict)),
                 .why = d.why,
                 .says = verdict_sentence(std::string(word_of(d.verdict)), d.why, d.kept, d.draws),
                 .front = d.verdict == Verdict::front,
                 .gpus = sized.machines.gpu_count(),
                 .nodes = sized.machines.nodes(),
                 .spare_nodes = sized.machines.spare_nodes(),
                 .best_case_overload = sized.best_case.overload,
                 .draws = d.draws,
                 .kept_draws = d.kept};
  if (sized.impossible.empty()) row.usd_per_hour = sized.least_usd_per_hour;
  if (d.draws > 0 && found.draws.error_per_look > 0) {
    const ShareInterval interval = share_interval(d.count(), 2 * found.draws.error_per_look);
    row.kept_fraction_low = interval.low;
    row.kept_fraction_high = interval.high;
  }
  if (d.best_estimate) {
    row.usd_per_hour = hour_cost(study, sized, *d.best_estimate).usd();
    add_figures(row, *d.best_estimate, best_estimate_figures);
  } else if (d.seen) {
    add_figures(row, d.seen->run,
                d.seen->beginning  ? beginning_figures
                : d.seen->draw > 0 ? draw_figures
                                   : best_estimate_figures);
  }
  return row;
}

std::vector<PromiseFigures> promise_figures(const DesignResult& d) {
  std::vector<PromiseFigures> all;
  for (std::size_t p = 0; p < d.sized.promises.size(); ++p) {
    const Promise& promise = d.sized.promises[p];
    PromiseFigures figures{.promise = promise.words(),
                           .text = [promise](double value) { return promise.text(value); },
                           .value = outcome(promise, *d.best_estimate).value};
    std::vector<double> values;
    for (const auto& run : d.values)
      if (run[p]) values.push_back(*run[p]);
    if (values.size() > 1) {
      figures.p05 = quantile(values, 0.05);
      figures.p95 = quantile(values, 0.95);
    }
    all.push_back(std::move(figures));
  }
  return all;
}

/// Machines are paid around the clock, so at the mean rate of a day each request bears more of them; the rest comes
/// with the requests.
void add_costs(PlanAnswer& a, const Study& study, const SizedDesign& sized, const Summary& run) {
  const HourCost hour = hour_cost(study, sized, run);
  const double at_mean_rate_usd = hour.usd() / hour.traffic;
  a.usd_per_hour = hour.usd();
  for (const CostLine& line : hour.lines)
    a.cost_lines.push_back({std::string(line.item), line.by_traffic ? line.usd * hour.traffic : line.usd});
  a.usd_per_month = hour.usd() * hours_per_month;
  if (hour.by_traffic_usd() > 0) a.outside_usd_per_hour = hour.by_traffic_usd();
  a.usd_per_request = per_request(hour.usd_at_peak(), run);
  a.usd_per_million_output_tokens = per_million_tokens(hour.usd_at_peak(), run);
  a.mean_usd_per_request = per_request(at_mean_rate_usd, run);
  a.mean_usd_per_million_output_tokens = per_million_tokens(at_mean_rate_usd, run);
  for (const std::string& term : price_terms())
    if (const auto cost = hour_cost(study, sized, term, run)) a.terms.push_back({term, cost->usd()});
}

PlanAnswer answer(const Study& study, const DesignResult& d) {
  const Summary& run = *d.best_estimate;
  const Machines& machines = d.sized.machines;
  PlanAnswer a{.design = d.sized.design.index,
               .settings = setting_words(study, d.sized.design),
               .set = d.sized.set,
               .machines = machines.words(),
               .gpus = machines.gpu_count(),
               .nodes = machines.nodes(),
               .spare_nodes = machines.spare_nodes(),
               .mean_w = mean_w(run)};
  a.score = expected_score(run);
  a.lost_points = FigureValues(run).of("lost_points");
  add_costs(a, study, d.sized, run);
  a.promises = promise_figures(d);
  return a;
}

/// Settings of every source of the workload: "workload.trace", "workload.mix[0].generate", ...
std::vector<std::string> sources(const WorkloadSpec& workload) {
  std::vector<std::string> paths;
  const auto add = [&](const SourceSpec& source, const std::string& path) {
    if (source.trace) paths.push_back(path + ".trace");
    if (source.generate) paths.push_back(path + ".generate");
  };
  add(workload.source, "workload");
  for (std::size_t i = 0; i < workload.mix.size(); ++i) add(workload.mix[i], fmt::format("workload.mix[{}]", i));
  return paths;
}

std::vector<InputChange> changes(Sizer& sizer, const SizedDesign& sized, const MoreChanges& more) {
  const WorkloadFacts& facts = sizer.workload(sized, sizer.seed(sized, 0));
  std::vector<InputChange> all;
  for (const double factor : {1 - changed_by, 1 + changed_by}) {
    all.push_back({.input = "price", .factor = factor, .price_factor = factor});
    if (facts.open_loop) all.push_back({.input = "rate", .factor = factor, .rate_factor = factor});
    for (const char* length : {"prompt_scale", "output_scale"}) {
      InputChange change{.input = std::string(length).substr(0, 6) + " length", .factor = factor};
      for (const std::string& path : sources(sizer.spec_of(sized).workload))
        change.set.push_back(fmt::format("{}.{}={}", path, length, factor));
      if (sizer.changes_workload(sized, change.set)) all.push_back(std::move(change));
    }
  }
  const bool hits =
      std::ranges::any_of(facts.requests, [](const ExpectedRequest& r) { return r.work.found_tokens > 0; });
  if (hits) {
    InputChange change{.input = "cache hits", .factor = 1 - changed_by};
    for (const std::string& path : sources(sizer.spec_of(sized).workload))
      change.set.push_back(fmt::format("{}.cold_fraction={}", path, changed_by));
    all.push_back(std::move(change));
  }
  for (InputChange& change : more(sized)) all.push_back(std::move(change));
  return all;
}

Sensitivity sensitivity(const Study& study, const SizedDesign& sized, const InputChange& change, const Summary& run) {
  Sensitivity s{.input = change.input, .factor = change.factor, .kept = true};
  s.usd_per_hour = hour_cost(study, sized, run).usd() * change.price_factor;
  s.usd_per_million_output_tokens = per_million_tokens(*s.usd_per_hour, run);
  s.ttft_p99_s = p99(run.latencies.ttft_s);
  s.tpot_p99_s = p99(run.latencies.tpot_s);
  for (const Promise& promise : sized.promises) s.kept = s.kept && outcome(promise, run).kept;
  return s;
}

std::vector<Sensitivity> sensitivities(const Study& study, Sizer& sizer, Runs& runs, const SizedDesign& sized,
                                       const MoreChanges& more) {
  const std::vector<InputChange> all = changes(sizer, sized, more);
  std::vector<RunRequest> requests;
  for (const InputChange& change : all) {
    Design design = sized.design;
    design.rate_factor *= change.rate_factor;
    const SizedDesign changed = change.rate_factor == 1 ? sized : sizer.size(design);
    requests.push_back(runs.request({&changed, 0}));
    requests.back().set.insert(requests.back().set.end(), change.set.begin(), change.set.end());
  }
  const std::vector<RunResult> results = runs.best_estimates(requests);
  std::vector<Sensitivity> rows;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (results[i].summary) rows.push_back(sensitivity(study, sized, all[i], *results[i].summary));
  std::ranges::stable_sort(rows, {}, &Sensitivity::input);
  return rows;
}

/// Absolute rates, of any design that can be built: all get the same requests.
void add_demand(PlanReport& report, const Study& study, Sizer& sizer, const SearchResult& found) {
  const auto some = std::ranges::find_if(found.designs, [](const DesignResult& d) {
    return d.sized.impossible.empty() && d.sized.design.rate_factor == 1;
  });
  if (some == found.designs.end()) return;
  const auto rate = sizer.workload(some->sized, sizer.seed(some->sized, 0)).arrivals_per_s();
  if (!rate) return;
  report.requests_per_s = *rate;
  report.mean_requests_per_s = *rate * study.mean_rate_factor() / study.peak_rate_factor();
}

}  // namespace

PlanReport plan_report(const Study& study, Sizer& sizer, Runs& runs, const SearchResult& found,
                       const MoreChanges& more) {
  PlanReport report{.name = study.spec.name,
                    .goal = study.spec.goal,
                    .scenario = study.spec.base ? "base" : study.spec.scenario,
                    .rate_factor = study.peak_rate_factor()};
  for (const std::size_t i : found.best) {
    if (!found.designs[i].best_estimate) continue;
    const SizedDesign& sized = found.designs[i].sized;
    report.answers.push_back(answer(study, found.designs[i]));
    report.answers.back().requests_per_s = sizer.workload(sized, sizer.seed(sized, 0)).arrivals_per_s();
    if (const auto room = head_room(sizer, runs, sized)) {
      report.answers.back().head_room_factor = room->factor;
      report.answers.back().binding = room->binding;
    }
    if (found.best.size() == 1) report.answers.back().sensitivities = sensitivities(study, sizer, runs, sized, more);
  }
  add_demand(report, study, sizer, found);
  if (const auto range = cost_range(study, runs, found); range && !report.answers.empty()) {
    PlanAnswer& a = report.answers.front();
    a.usd_per_month_low = std::min(a.usd_per_month, range->low_usd_per_hour * hours_per_month);
    a.usd_per_month_high = std::max(a.usd_per_month, range->high_usd_per_hour * hours_per_month);
    a.high_is_open = range->open;
  }
  if (!study.spec.goal.starts_with("pareto")) report.kinds = kinds_of(study, found);
  report.headline = headline(study, report);
  if (found.best.empty() && found.simulated) report.closest = closest(study, runs, found);
  report.certificate = certificate(study, found);
  for (const DesignResult& d : found.designs) report.designs.push_back(row(study, d, found));
  return report;
}

}  // namespace servecast
