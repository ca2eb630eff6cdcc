#include "sim/report/summary/failure_summary.h"

#include <algorithm>
#include <cmath>

#include "sim/report/record/recorder.h"
#include "sim/report/record/run_facts.h"
#include "sim/report/statistics/share_left.h"
#include "sim/report/statistics/spread.h"

namespace servecast {
namespace {

constexpr std::size_t recovered_for_s = 10;

}  // namespace

void FailureSummary::fields(Fields& f) {
  f.field("pool", pool, "pool");
  f.figure("crashes", crashes, "times that one of its replicas stopped",
           {.heading = "crashes", .better = Better::lower});
  f.figure("available_fraction", available_fraction, "share of replica time in which they served",
           {.heading = "available", .better = Better::higher});
  f.figure("lost", lost, "requests (behind a gateway: LLM calls) that were lost with its replicas",
           {.heading = "lost", .better = Better::lower});
  f.figure("retried", retried, "times that a request started over on another replica", {.heading = "retried"});
  f.figure("resumed", resumed, "times that one went on there", {.heading = "resumed"});
  f.figure("lost_tokens", lost_tokens, "of prompts and outputs, computed in vain",
           {.heading = "tokens lost", .better = Better::lower});
  f.figure("reprefill_tokens", reprefill_tokens, "of these, in prompts that are computed again",
           {.heading = "to prefill again", .better = Better::lower});
  f.figure("reload_bytes", reload_bytes, "of weights, loaded again", {.heading = "reloaded"});
  f.figure("stand_ins", stand_ins, "times that GPUs of a spare stood in");
  f.figure("slo_recovery_s", slo_recovery_s,
           "from a crash until ten seconds begin in which the target share of requests that arrive keeps the SLO (in "
           "whole "
           "seconds of the run; 0: at once)",
           {.better = Better::lower, .statistics = {{{"mean", "SLO back (mean, max)"}, {"max", "", ", "}}}});
  f.figure("not_recovered", not_recovered, "crashes after which it never did", {.better = Better::lower});
}

void BrokenPartSummary::fields(Fields& f) {
  f.field("part", part, "kind of part");
  f.figure("parts", parts, "how many there are");
  f.figure("failures", failures, "how often one of them failed", {.better = Better::lower});
  f.figure("available_fraction", available_fraction, "share of their time in which they were whole",
           {.better = Better::higher});
}

std::optional<double> slo_recovery_s(double crashed_s, std::span<const SloSecond> seconds, double target_fraction) {
  const auto first = static_cast<std::size_t>(std::ceil(crashed_s));
  for (std::size_t from = first; from < seconds.size(); ++from) {
    SloSecond all;
    for (const SloSecond& s : seconds.subspan(from, std::min(recovered_for_s, seconds.size() - from))) {
      all.arrived += s.arrived;
      all.attaining += s.attaining;
    }
    if (all.arrived == 0) continue;
    if (static_cast<double>(all.attaining) >= target_fraction * static_cast<double>(all.arrived))
      return from == first ? 0 : static_cast<double>(from) - crashed_s;
  }
  return std::nullopt;
}

std::vector<FailureSummary> failures_of(const Recorder& recorder, const RunFacts& facts) {
  std::vector<FailureSummary> all;
  for (std::size_t i = 0; i < facts.failures.pools.size(); ++i) {
    const FailureTotals& t = facts.failures.pools[i];
    all.push_back({t, static_cast<std::int64_t>(t.crashed_s.size()), share_left(t.down_s, t.replica_s)});
    if (!facts.slo.stated()) continue;
    Spread recoveries;
    for (const double crashed_s : t.crashed_s) {
      const auto recovery_s = slo_recovery_s(crashed_s, recorder.pools()[i].slo_seconds, *facts.slo.target_fraction);
      recoveries.add(recovery_s);
      all.back().not_recovered += recovery_s ? 0 : 1;
    }
    all.back().slo_recovery_s = recoveries.statistics();
  }
  return all;
}

std::vector<BrokenPartSummary> broken_parts_of(const RunFacts& facts) {
  std::vector<BrokenPartSummary> all;
  for (const BrokenPartFacts& p : facts.failures.parts)
    all.push_back({.part = p.part,
                   .parts = p.parts,
                   .failures = p.failures,
                   .available_fraction = share_left(p.down_s, static_cast<double>(p.parts) * facts.duration_s)});
  return all;
}

}  // namespace servecast
