#include "sim/report/summary/scaling_summary.h"

#include <fmt/format.h>

#include <algorithm>

#include "models/base/counts.h"
#include "models/base/units.h"
#include "sim/report/layout/human.h"
#include "sim/report/record/run_facts.h"
#include "sim/report/statistics/share_left.h"
#include "sim/report/statistics/spread.h"

namespace servecast {
namespace {

std::optional<Statistics> statistics(std::span<const double> values) {
  Spread spread;
  for (const double value : values) spread.add(value);
  return spread.statistics();
}

/// One list for the mean and for files.
struct PhaseFacts {
  double StartTimes::*seconds;
  const char* key;
  const char* help;
};
constexpr PhaseFacts phases[]{
    {&StartTimes::provision_s, "provision_s", "until there was a machine"},
    {&StartTimes::image_s, "image_s", "container image fetched and unpacked"},
    {&StartTimes::weights_s, "weights_s", "weights, or a snapshot, fetched"},
    {&StartTimes::imports_s, "imports_s", "process start and imports"},
    {&StartTimes::gpu_load_s, "gpu_load_s", "weights that had arrived loaded into GPU memory"},
    {&StartTimes::engine_init_s, "engine_init_s", "graphs compiled and captured, memory measured"},
    {&StartTimes::restore_s, "restore_s", "snapshot restored, in place of the three before"}};

std::optional<ColdStartSummary> mean(std::span<const StartTimes> starts) {
  if (starts.empty()) return std::nullopt;
  ColdStartSummary mean;
  for (const PhaseFacts& phase : phases) {
    for (const StartTimes& start : starts) mean.*phase.seconds += start.*phase.seconds;
    mean.*phase.seconds /= static_cast<double>(starts.size());
  }
  return mean;
}

std::string tenths(double value) { return fmt::format("{:.1f}", value); }
std::string hundredths(double value) { return fmt::format("{:.2f}", value); }

}  // namespace

void ColdStartSummary::fields(Fields& f) {
  for (const PhaseFacts& phase : phases)
    f.figure(phase.key, this->*phase.seconds, phase.help, {.better = Better::lower});
}

void ScalingSummary::fields(Fields& f) {
  f.field("pool", pool, "pool");
  f.figure("autoscaler", autoscaler, "what decides how many of its replicas serve", {.heading = "autoscaler"});
  f.figure("serving_mean", serving_mean, "replicas that served, mean over the run",
           {.heading = "serving", .text = tenths});
  f.figure("serving_max", serving_max, "at most", {.heading = "most"});
  f.figure("rented_mean", rented_mean, "replicas paid for, mean over the run: those that start, drain or wait, too",
           {.heading = "rented", .better = Better::lower, .text = tenths});
  f.figure("gpu_hours", gpu_hours, "paid for", {.heading = "GPU hours", .better = Better::lower, .text = hundredths});
  f.figure("saved_fraction", saved_fraction, "of what all its replicas would have cost all the time",
           {.heading = "saved", .better = Better::higher});
  f.figure("starts", starts, "replicas that began to start, those of the warm reserve among them");
  f.figure("woken", woken, "times that one came from the warm reserve");
  f.derived("begun", real(starts + woken), "both", {.heading = "starts", .text = human::whole});
  f.figure("stops", stops, "times that one had done all and was switched off, or went to the reserve",
           {.heading = "stops"});
  f.figure("start_s", start_s, "from the decision until it served",
           {.better = Better::lower, .statistics = {{{"mean", "a start"}}}});
  f.group("cold_start", cold_start, "a start that is not from the warm reserve, phase by phase: means");
  f.figure("drain_s", drain_s, "from the last request it took until it had done all",
           {.statistics = {{{"mean", "a stop"}}}});
  f.figure("mirrored", mirrored, "prompts computed to fill caches of new replicas");
}

std::vector<ScalingSummary> scaling_of(const RunFacts& facts) {
  std::vector<ScalingSummary> all;
  for (const ScalingTotals& t : facts.scaling) {
    const PoolFacts& pool = *std::ranges::find(facts.pools, t.pool, &PoolFacts::name);
    const double run_s = std::max(facts.duration_s, 1e-9);
    ScalingSummary s{t};
    s.serving_mean = t.serving_s / run_s;
    s.serving_max = t.most_serving;
    s.rented_mean = t.rented_s / run_s;
    s.gpu_hours = pool.paid_gpus() * facts.duration_s / seconds_per_hour;
    s.saved_fraction = share_left(pool.paid_gpus(), static_cast<double>(pool.gpus));
    s.start_s = statistics(t.start_s);
    s.cold_start = mean(t.cold_starts);
    s.drain_s = statistics(t.drain_s);
    all.push_back(std::move(s));
  }
  return all;
}

}  // namespace servecast
