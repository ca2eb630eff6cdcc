#include <algorithm>

#include "sim/reproduce/probes/highest_rate.h"
#include "sim/reproduce/reproduction.h"

namespace servecast::s1_vllm {
namespace {

PaperSetup with_cache(const std::string& kv_cache) {
  return {.scenario = "s1_vllm_paged",
          .set = {{"pools[0].batcher.policy", kv_cache == "paged" ? "vllm_v0" : "orca"},
                  {"pools[0].kv_cache.policy", kv_cache}}};
}

/// Mean of end-to-end time over output tokens.
double normalized_latency_s(const PaperRecords& run) {
  double sum = 0;
  for (const RequestRecord& r : run.recorder.requests())
    sum += (*r.finish_s - r.arrival_s) / static_cast<double>(r.output_tokens);
  return sum / static_cast<double>(run.recorder.requests().size());
}

double running_on_average(const PaperRecords& run) {
  double ran_s = 0;
  double end_s = 0;
  for (const RequestRecord& r : run.recorder.requests()) {
    ran_s += *r.finish_s - *r.scheduled_s;
    end_s = std::max(end_s, *r.finish_s);
  }
  return ran_s / end_s;
}

Quantity rate_at(double latency_s, const std::string& kv_cache) {
  return rate_probe(with_cache(kv_cache), {.low = 0.1, .high = 8}, {{normalized_latency_s, latency_s}});
}

Quantity running_at_2(const std::string& kv_cache) {
  return run_probe(with_cache(kv_cache).with(RateSearch{}.at(2)), {running_on_average});
}

}  // namespace

PaperSystem all_figures() {
  PaperSystem system{
      .id = "S1", .title = "vLLM", .source = "SOSP 2023: paged KV cache against Orca's pieces, OPT-13B, ShareGPT"};
  for (const double latency_s : {0.2, 0.5, 1.0}) {  // where the paper's curves have left the flat part
    const Quantity paged = rate_at(latency_s, "paged");
    const std::string at = " at " +
                           std::string(latency_s == 0.2   ? "0.2"
                                       : latency_s == 0.5 ? "0.5"
                                                          : "1") +
                           " s per token";
    system.rows.push_back({.figure = "rate" + at + " over Orca (Oracle)",
                           .unit = as_times(),
                           .published = between(1.7, 2.7),
                           .asked = at_least(1.4),
                           .ours = paged / rate_at(latency_s, "contiguous_oracle")});
    system.rows.push_back({.figure = "rate" + at + " over Orca (Max)",
                           .unit = as_times(),
                           .published = between(2.7, 8),
                           .asked = at_least(2.5),
                           .ours = paged / rate_at(latency_s, "contiguous_max")});
    if (latency_s == 0.5) system.rows.push_back({.figure = "rate" + at, .unit = as_rate(), .ours = paged});
  }
  const Quantity paged = running_at_2("paged");
  const Quantity oracle = running_at_2("contiguous_oracle");
  const Quantity max = running_at_2("contiguous_max");
  const FigureUnit requests{.digits = 1, .unit = " requests"};
  system.rows.push_back(
      {.figure = "running at 2 requests/s", .unit = requests, .published = exactly(30.42), .ours = paged});
  system.rows.push_back(
      {.figure = "running, Orca (Oracle)", .unit = requests, .published = exactly(13.62), .ours = oracle});
  system.rows.push_back({.figure = "running, Orca (Max)", .unit = requests, .published = exactly(7), .ours = max});
  system.rows.push_back({.figure = "running over Orca (Max)",
                         .unit = as_times(),
                         .published = exactly(4.35),
                         .asked = between(3.5, 5),
                         .ours = paged / max});
  return system;
}

}  // namespace servecast::s1_vllm
