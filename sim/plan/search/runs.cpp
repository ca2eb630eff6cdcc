#include "sim/plan/search/runs.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/plan/judge/sizer.h"
#include "sim/plan/judge/workload_facts.h"
#include "sim/plan/study/objective.h"

namespace servecast {
namespace {

constexpr std::int64_t beginning_part = 8;    // the first eighth
constexpr std::int64_t least_requests = 800;  // of a workload whose beginning is worth a run of its own

/// What came of a promise. Of a latency that no request has, such as the TPOT of single tokens, nothing is late.
std::string came_to(const Promise& promise, const Outcome& one) {
  if (!one.value) return one.kept ? "no request has any" : "never";
  return promise.text(*one.value);
}

/// A figure that is `factor` times as large breaks its bound where the figure itself breaks one that is smaller by
/// it.
Promise tightened(Promise promise, double factor) {
  promise.bound /= factor;
  return promise;
}

}  // namespace

RunRequest Runs::request(const DrawRequest& wanted) {
  RunRequest request{.scenario = sizer_.scenario_file(), .set = wanted.sized->set};
  if (wanted.draw > 0) {
    request.seed = sizer_.seed(*wanted.sized, wanted.draw);
    request.calibration_draw = wanted.draw;
  }
  return request;
}

/// The run up to the instant at which the first part of the workload has arrived: what has happened by then happens
/// in the whole run, too.
std::optional<RunRequest> Runs::beginning(const DrawRequest& wanted) {
  const WorkloadFacts& facts = sizer_.workload(*wanted.sized, sizer_.seed(*wanted.sized, wanted.draw));
  if (!facts.open_loop || facts.count() < least_requests) return std::nullopt;
  const double until_s = facts.requests[static_cast<std::size_t>(facts.count() / beginning_part)].arrival_s;
  if (until_s <= 0) return std::nullopt;
  RunRequest short_run = request(wanted);
  short_run.set.push_back(fmt::format("until_s={}", until_s));
  return short_run;
}

void Runs::judge_beginnings(std::span<const DrawRequest> requests,
                            std::vector<std::optional<DrawOutcome>>& outcomes) {
  std::vector<RunRequest> runs;
  std::vector<std::size_t> whose;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    if (outcomes[i] || !requests[i].beginning) continue;
    if (auto run = beginning(requests[i])) {
      runs.push_back(std::move(*run));
      whose.push_back(i);
    }
  }
  const std::vector<RunResult> results = evaluator_.evaluate(runs);
  for (std::size_t r = 0; r < runs.size(); ++r) {
    if (!results[r].summary) continue;  // the whole run will say why
    const SizedDesign& sized = *requests[whose[r]].sized;
    const WorkloadFacts& facts = sizer_.workload(sized, sizer_.seed(sized, requests[whose[r]].draw));
    for (const Promise& promise : sized.promises) {
      const Promise tight = tightened(promise, sizer_.error_factor(sized, promise, requests[whose[r]].draw));
      if (!broken_already(tight, *results[r].summary, {facts.count(), facts.several_tokens})) continue;
      const double miss = std::max(1.0, outcome(tight, *results[r].summary).miss);
      outcomes[whose[r]] = {.miss = miss,
                            .why = promise.words() + ": broken before the first eighth is over",
                            .beginning = results[r].summary};
    }
  }
}

void Runs::judge_whole(std::span<const DrawRequest> requests, std::vector<std::optional<DrawOutcome>>& outcomes) {
  std::vector<RunRequest> runs;
  std::vector<std::size_t> whose;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    if (outcomes[i]) continue;
    runs.push_back(request(requests[i]));
    whose.push_back(i);
  }
  const std::vector<RunResult> results = evaluator_.evaluate(runs);
  for (std::size_t r = 0; r < runs.size(); ++r)
    outcomes[whose[r]] = results[r].summary ? judged(requests[whose[r]], *results[r].summary)
                                            : DrawOutcome{.why = "cannot be run: " + results[r].failure};
}

/// Of a run of the whole workload.
DrawOutcome Runs::judged(const DrawRequest& wanted, const Summary& run) const {
  DrawOutcome result{.kept = true, .run = run};
  for (const Promise& promise : wanted.sized->promises) {
    const double factor = sizer_.error_factor(*wanted.sized, promise, wanted.draw);
    Outcome one = outcome(tightened(promise, factor), run);
    if (one.value) *one.value *= factor;
    result.values.push_back(one.value);
    if (one.miss > result.miss || result.why.empty()) {
      result.miss = one.miss;
      result.why = fmt::format("{}: {}", promise.words(), came_to(promise, one));
    }
    result.kept = result.kept && one.kept;
  }
  return result;
}

std::vector<DrawOutcome> Runs::judge(std::span<const DrawRequest> requests) {
  std::vector<std::optional<DrawOutcome>> outcomes(requests.size());
  for (std::size_t i = 0; i < requests.size(); ++i) {
    const SizedDesign& sized = *requests[i].sized;
    if (sizer_.broken_at_best(sized, requests[i].draw))
      outcomes[i] = {.miss = sized.best_case.overload, .why = sized.best_case.why()};
  }
  judge_beginnings(requests, outcomes);
  judge_whole(requests, outcomes);
  std::vector<DrawOutcome> all;
  for (std::optional<DrawOutcome>& one : outcomes) all.push_back(std::move(*one));
  return all;
}

}  // namespace servecast
