#include "sim/report/summary/request_summary.h"

#include "models/base/counts.h"
#include "sim/report/statistics/ratio.h"

namespace servecast {

void RequestCounts::fields(Fields& f) {
  f.figure("arrived", arrived, "all requests: those below add up to it", {.heading = "requests"});
  f.figure("completed", completed, "got all their output tokens", {.better = Better::higher});
  f.figure("rejected", rejected, "no replica could ever hold them, or its batcher never starts so long a prompt",
           {.better = Better::lower});
  f.figure("shed", shed, "turned away for the load (HTTP 429)", {.better = Better::lower});
  f.figure("timed_out", timed_out, "given up by their clients", {.better = Better::lower});
  f.figure(
      "lost", lost,
      "their clients got an error: a replica failed that had them, with `in_flight: lost` or after `max_retries`",
      {.better = Better::lower});
  f.figure("unfinished", unfinished,
           "waiting or running at `until_s`, or where parts break for ever; a run that leaves any otherwise ends "
           "with an error",
           {.better = Better::lower});
}

void Latencies::fields(Fields& f, std::optional<Statistics>* itl_s) {
  f.figure("ttft_s", ttft_s,
           "time to first token as the client sees it: `first_token_s` − `arrival_s`, the engine's request path "
           "included, of requests that got one",
           {.heading = "TTFT",
            .better = Better::lower,
            .statistics = {{{"p50"}, {"p99"}}},
            .line = "to first token (TTFT)"});
  f.figure(
      "tpot_s", tpot_s,
      "time per output token: (`finish_s` − `first_token_s`) / (`output_tokens` − 1), of completed requests with "
      "two or more",
      {.heading = "TPOT",
       .better = Better::lower,
       .statistics = {{{"p50"}, {"p99"}}},
       .line = "per output token (TPOT)"});
  if (itl_s)
    f.figure("itl_s", *itl_s, "gap between an output token and the one before it, over all tokens of all requests",
             {.heading = "ITL", .better = Better::lower, .line = "between tokens (ITL)"});
  f.figure("e2e_s", e2e_s, "`finish_s` − `arrival_s`, of completed requests",
           {.heading = "E2E", .better = Better::lower, .statistics = {{{"p99"}}}, .line = "end to end (E2E)"});
  f.figure("queue_s", queue_s, "`scheduled_s` − `arrival_s`, of requests that were in a batch",
           {.heading = "queue", .better = Better::lower, .line = "in the queue"});
}

void FirstUseSummary::fields(Fields& f) {
  f.figure("wait_s", wait_s,
           "steps waited for kernels that nothing in their process had used before, summed over replicas",
           {.better = Better::lower});
  f.figure("requests", requests, "whose first token came later for that", {.better = Better::lower});
  f.figure("ttft_s", ttft_s, "time to first token of the others: once everything has been used",
           {.better = Better::lower, .line = "TTFT, warmed up"});
}

std::optional<FirstUseSummary> first_use_of(const RequestTotals& totals, const std::vector<PoolFacts>& pools) {
  FirstUseSummary s{.requests = totals.held_up_ttft_s.count(), .ttft_s = totals.ttft_s.statistics()};
  for (const PoolFacts& pool : pools) s.wait_s += pool.totals.first_use_s;
  return s.wait_s > 0 ? std::optional(s) : std::nullopt;
}

void SloSummary::fields(Fields& f) {
  f.figure("ttft_s", ttft_s, "bound on the time to first token, as the scenario states it");
  f.figure("tpot_s", tpot_s, "bound on the time per output token, likewise");
  f.figure("e2e_s", e2e_s, "bound on the whole time, likewise");
  f.figure("target_fraction", target_fraction, "share of requests that shall keep all bounds");
  f.figure("attained_fraction", attained_fraction, "share of all arrived requests that kept every stated bound",
           {.heading = "SLO kept", .better = Better::higher});
  f.figure("goodput_requests_per_s", goodput_requests_per_s, "requests that kept every stated bound, by `duration_s`",
           {.heading = "goodput/s", .better = Better::higher});
  const Shown kept{.better = Better::higher};
  f.figure("ttft_attained_fraction", ttft_attained_fraction, "share that kept this one bound", kept);
  f.figure("tpot_attained_fraction", tpot_attained_fraction, "share that kept this one bound", kept);
  f.figure("e2e_attained_fraction", e2e_attained_fraction, "share that kept this one bound", kept);
  f.figure("classes_missed", classes_missed, "classes of which too few requests kept what their class is promised",
           {.better = Better::lower});
}

void ClassSummary::fields(Fields& f) {
  f.field("name", name, "class");
  f.group("requests", requests, "requests of this class");
  f.figure("output_tokens_per_s", output_tokens_per_s,
           "output tokens of its completed requests, by the time from its first arrival until the last of them is "
           "complete",
           {.better = Better::higher});
  latencies.fields(f);
  f.figure("attained_fraction", attained_fraction, "share of its requests that kept every bound that it is promised",
           {.heading = "within SLO", .better = Better::higher});
  f.group("promised", promised, "to this class");
}

Latencies latencies_of(const RequestTotals& totals) {
  Spread ttft_s = totals.ttft_s;
  ttft_s += totals.held_up_ttft_s;
  return {.ttft_s = ttft_s.statistics(),
          .tpot_s = totals.tpot_s.statistics(),
          .e2e_s = totals.e2e_s.statistics(),
          .queue_s = totals.queue_s.statistics()};
}

namespace {

SloSummary held_to(const SloBounds& slo, const RequestTotals& totals, double duration_s) {
  const double arrived = real(totals.requests.arrived);
  const auto kept = [&](std::optional<double> bound, std::int64_t keeping) -> std::optional<double> {
    if (!bound) return std::nullopt;
    return ratio(real(keeping), arrived);
  };
  return {.ttft_s = slo.ttft_s,
          .tpot_s = slo.tpot_s,
          .e2e_s = slo.e2e_s,
          .target_fraction = slo.target_fraction,
          .attained_fraction = ratio(real(totals.attaining), arrived),
          .goodput_requests_per_s = per(real(totals.attaining), duration_s),
          .ttft_attained_fraction = kept(slo.ttft_s, totals.keeping_ttft),
          .tpot_attained_fraction = kept(slo.tpot_s, totals.keeping_tpot),
          .e2e_attained_fraction = kept(slo.e2e_s, totals.keeping_e2e)};
}

}  // namespace

SloSummary slo_of(const RequestTotals& all, std::span<const RequestTotals> classes, const RunFacts& facts) {
  const SloFacts& slo = facts.slo;
  if (!slo.stated() && slo.classes.empty()) return {};
  SloSummary summary = held_to(slo, all, facts.duration_s);
  for (const auto& [id, promised] : slo.classes)
    if (index(id) < classes.size() && classes[index(id)].requests.arrived > 0)
      summary.classes_missed += held_to(promised, classes[index(id)], facts.duration_s).met() ? 0 : 1;
  return summary;
}

std::vector<ClassSummary> classes_of(std::span<const RequestTotals> classes, const RunFacts& facts) {
  std::vector<ClassSummary> all;
  for (std::size_t i = 0; i < facts.classes.size(); ++i) {
    const auto id = static_cast<ClassId>(i);
    const RequestTotals totals = i < classes.size() ? classes[i] : RequestTotals{};
    if (totals.requests.arrived == 0 && !facts.slo.names(id)) continue;
    all.push_back({.name = facts.classes[i],
                   .requests = totals.requests,
                   .output_tokens_per_s = totals.output_tokens_per_s(),
                   .latencies = latencies_of(totals)});
    const SloBounds& promised = facts.slo.of(id);
    if (!promised.stated()) continue;
    all.back().attained_fraction = ratio(real(totals.attaining), real(totals.requests.arrived));
    all.back().promised = promised;
  }
  if (all.size() < 2 && facts.slo.classes.empty()) all.clear();
  return all;
}

}  // namespace servecast
