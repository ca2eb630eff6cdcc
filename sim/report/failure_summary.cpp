#include "sim/report/failure_summary.h"

#include <algorithm>
#include <cmath>

#include "sim/report/human.h"
#include "sim/report/recorder.h"
#include "sim/report/run_facts.h"
#include "sim/report/share_left.h"
#include "sim/report/spread.h"

namespace servecast {
namespace {

constexpr std::size_t recovered_for_s = 10;

}  // namespace

void FailureSummary::fields(Fields& f) {
  f.field("pool", pool, "pool");
  f.field("crashes", crashes, "times that one of its replicas stopped");
  f.field("available_fraction", available_fraction, "share of replica time in which they served", fraction);
  f.field("lost", lost, "requests (behind a gateway: passes) that were lost with its replicas");
  f.field("retried", retried, "times that a request started over on another replica");
  f.field("resumed", resumed, "times that one went on there");
  f.field("lost_tokens", lost_tokens, "of prompts and outputs, computed in vain");
  f.field("reprefill_tokens", reprefill_tokens, "of these, in prompts that are computed again");
  f.field("reload_bytes", reload_bytes, "of weights, loaded again");
  f.field("stand_ins", stand_ins, "times that GPUs of a spare stood in");
  f.group("slo_recovery_s", slo_recovery_s,
          "from a crash until the SLO holds again: for those who arrive during ten seconds");
  f.field("not_recovered", not_recovered, "crashes after which it never did");
}

void BrokenPartSummary::fields(Fields& f) {
  f.field("of", of, "kind of part");
  f.field("parts", parts, "how many there are");
  f.field("failures", failures, "how often one of them failed");
  f.field("available_fraction", available_fraction, "share of their time in which they were whole", fraction);
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
    all.push_back({.pool = t.pool,
                   .crashes = static_cast<std::int64_t>(t.crashed_s.size()),
                   .available_fraction = share_left(t.down_s, t.replica_s),
                   .lost = t.lost,
                   .retried = t.retried,
                   .resumed = t.resumed,
                   .lost_tokens = t.lost_tokens,
                   .reprefill_tokens = t.reprefill_tokens,
                   .reload_bytes = t.reload_bytes,
                   .stand_ins = t.stand_ins});
    if (!facts.slo.stated()) continue;
    Spread recoveries;
    for (const double crashed_s : t.crashed_s) {
      const auto recovery_s = slo_recovery_s(crashed_s, recorder.pools()[i].slo_seconds, facts.slo.target_fraction);
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
    all.push_back({.of = p.of,
                   .parts = p.parts,
                   .failures = p.failures,
                   .available_fraction = share_left(p.down_s, static_cast<double>(p.parts) * facts.duration_s)});
  return all;
}

std::optional<TextTable> failure_table(std::span<const FailureSummary> failures) {
  if (failures.empty()) return std::nullopt;
  TextTable table(1);
  table.row({"", "crashes", "available", "lost", "retried", "resumed", "tokens lost", "to prefill again", "reloaded",
             "SLO back (mean, max)"});
  for (const FailureSummary& p : failures)
    table.row({p.pool, human::count(p.crashes), human::percent(p.available_fraction), human::count(p.lost),
               human::count(p.retried), human::count(p.resumed), human::count(p.lost_tokens),
               human::count(p.reprefill_tokens), human::bytes(p.reload_bytes),
               p.slo_recovery_s
                   ? human::seconds(p.slo_recovery_s->mean) + ", " + human::seconds(p.slo_recovery_s->max)
                   : "-"});
  return table;
}

}  // namespace servecast
