#include "sim/plan/study/objective.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "models/base/error.h"
#include "models/base/quantile.h"
#include "sim/input/scenario/scenario.h"
#include "sim/plan/study/study.h"
#include "sim/plan/study/study_spec.h"
#include "sim/report/figures/figures.h"
#include "sim/report/layout/human.h"

namespace servecast {
namespace {

struct Percentile {
  std::int64_t percent;
  double Statistics::*value;
};
constexpr std::array<Percentile, 5> percentiles{{{50, &Statistics::p50},
                                                 {90, &Statistics::p90},
                                                 {95, &Statistics::p95},
                                                 {99, &Statistics::p99},
                                                 {100, &Statistics::max}}};

const std::optional<Statistics>& latency_of(const Promise& promise, const Latencies& of) {
  if (promise.metric == "ttft_s") return of.ttft_s;
  return promise.metric == "tpot_s" ? of.tpot_s : of.e2e_s;
}

/// "TTFT": what its statistics have in common.
std::string heading_of(const Promise& promise) {
  const std::string heading = figure(promise.metric + ".mean").heading;
  return heading.substr(0, heading.rfind(' '));
}

/// The requests that a promise is about.
struct Group {
  RequestCounts counts{};
  Latencies latencies{};
  std::optional<double> attained_fraction{};
};

Group group_of(const Promise& promise, const Summary& run) {
  if (promise.request_class.empty()) return {run.requests, run.latencies, run.slo.attained_fraction};
  for (const ClassSummary& c : run.classes)
    if (c.name == promise.request_class) return {c.requests, c.latencies, c.attained_fraction};
  return {};
}

double fraction_of(std::int64_t percent) { return static_cast<double>(percent) / 100; }

/// The percentile over all that arrived, where `count` of them have a value.
std::optional<double> over_all(const Statistics& s, std::int64_t count, std::int64_t arrived, std::int64_t percent) {
  const std::int64_t rank = nearest_rank(fraction_of(percent), arrived);
  for (const Percentile& p : percentiles)
    if (p.percent >= percent && nearest_rank(fraction_of(p.percent), count) >= rank) return s.*p.value;
  return std::nullopt;
}

Outcome share_outcome(const Promise& promise, const Group& group) {
  const double share = group.attained_fraction.value_or(0);
  const double missed = (1 - share) / std::max(1 - promise.bound, 1e-9);
  return {.value = share, .kept = share >= promise.bound, .miss = missed};
}

/// By how much a figure misses its bound; a run that has no such figure misses it by far.
Outcome figure_outcome(const Promise& promise, const Summary& run) {
  constexpr double far = std::numeric_limits<double>::infinity();
  const std::optional<double> value = FigureValues(run).of(promise.metric);
  if (!value) return {.miss = far};
  const double over = promise.at_least ? promise.bound : *value, under = promise.at_least ? *value : promise.bound;
  return {.value = value, .kept = over <= under, .miss = under > 0 ? over / under : over > 0 ? far : 0};
}

/// Requests that are late already: of `count` with a value, those beyond the lowest percentile above the bound.
std::int64_t late_among(const Statistics& s, std::int64_t count, double bound) {
  if (count == 0) return 0;  // there are values, but of requests that are under way
  for (const Percentile& p : percentiles)
    if (s.*p.value > bound) return count - nearest_rank(fraction_of(p.percent), count) + 1;
  return 0;
}

}  // namespace

std::string Promise::words() const {
  const std::string whose = request_class.empty() ? "" : " of " + request_class;
  if (is_share()) return fmt::format("{}{} within the SLO", text(bound), whose);
  if (is_figure()) return fmt::format("{} {} {}", figure(metric).heading, at_least ? ">=" : "<=", text(bound));
  return fmt::format("{} p{}{} <= {}", heading_of(*this), percentile, whose, text(bound));
}

std::string Promise::text(double value) const {
  if (is_figure()) return figure(metric).text(value);
  return is_share() ? human::percent(value) : human::seconds(value);
}

std::vector<Promise> promises_of(const Study& study, const SloSpec& slo, bool needed) {
  std::vector<Promise> promises;
  for (const ObjectiveSpec& o : study.spec.objectives)
    promises.push_back({.metric = o.metric,
                        .request_class = o.request_class,
                        .percentile = o.percentile.value_or(0),
                        .bound = o.at_most.value_or(o.at_least.value_or(0)),
                        .at_least = o.at_least.has_value()});
  const bool stated = slo.stated() || !slo.classes.empty();
  const bool shares = std::ranges::any_of(promises, &Promise::is_share);
  if (shares && !stated)
    throw UserError("attained_fraction is promised, but the scenario's slo states no bound that could be kept");
  const auto with_loss = [&] {
    if (study.most_lost_points) promises.push_back({.metric = "lost_points", .bound = *study.most_lost_points});
    return promises;
  };
  if (!promises.empty()) return with_loss();
  if (slo.stated())
    promises.push_back({.metric = "attained_fraction", .bound = slo.target_fraction, .at_least = true});
  for (const ClassSloSpec& own : slo.classes)
    promises.push_back({.metric = "attained_fraction",
                        .request_class = own.request_class,
                        .bound = own.target_fraction,
                        .at_least = true});
  if (promises.empty() && needed)
    throw UserError("nothing is promised: give the study 'objectives', or the scenario an slo with a bound");
  return with_loss();
}

Outcome outcome(const Promise& promise, const Summary& run) {
  if (promise.is_figure()) return figure_outcome(promise, run);
  const Group group = group_of(promise, run);
  if (group.counts.arrived == 0) return {.kept = true};  // no request was promised anything
  if (promise.is_share()) return share_outcome(promise, group);
  const std::optional<Statistics>& s = latency_of(promise, group.latencies);
  const bool all_served = group.counts.completed == group.counts.arrived;
  if (!s) return {.kept = all_served, .miss = all_served ? 0 : std::numeric_limits<double>::infinity()};
  const std::int64_t count = all_served ? group.counts.arrived : group.counts.completed;
  const auto value = count > 0 ? over_all(*s, count, group.counts.arrived, promise.percentile) : std::nullopt;
  if (!value) return {.kept = false, .miss = std::numeric_limits<double>::infinity()};
  return {.value = value, .kept = *value <= promise.bound, .miss = *value / promise.bound};
}

bool broken_already(const Promise& promise, const Summary& stopped, const ExpectedRequests& requests) {
  if (promise.is_figure()) return false;             // what comes may make up for what was
  if (!promise.request_class.empty()) return false;  // how many of a class there will be is not known
  if (promise.metric == "tpot_s" && !requests.several_tokens) return false;  // nor how many have a TPOT
  const Group group = group_of(promise, stopped);
  const double share = promise.is_share() ? promise.bound : fraction_of(promise.percentile);
  const std::int64_t allowed = requests.all - nearest_rank(share, requests.all);
  if (promise.is_share()) {
    const double attained =
        std::round(group.attained_fraction.value_or(0) * static_cast<double>(group.counts.arrived));
    const std::int64_t under_way = group.counts.unfinished;
    return group.counts.arrived - under_way - static_cast<std::int64_t>(attained) > allowed;
  }
  const std::optional<Statistics>& s = latency_of(promise, group.latencies);
  const std::int64_t gone = group.counts.rejected + group.counts.shed + group.counts.timed_out + group.counts.lost;
  // Some that are still under way may have a value, too; without them there are fewer late ones, never more.
  const std::int64_t late = s ? late_among(*s, group.counts.completed, promise.bound) : 0;
  return late + gone > allowed;
}

}  // namespace servecast
