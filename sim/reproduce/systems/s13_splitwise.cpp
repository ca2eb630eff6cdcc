#include <algorithm>
#include <array>

#include "sim/reproduce/probes/forked.h"
#include "sim/reproduce/probes/highest_rate.h"
#include "sim/reproduce/reproduction.h"

namespace servecast::s13_splitwise {
namespace {

const std::vector<Override> h100{
    {"cluster.node", "dgx_h100"}, {"pools[0].gpu", "h100_sxm_80g"}, {"pools[1].gpu", "h100_sxm_80g"}};
constexpr const char* rate_setting = "workload.trace.rate_scale";
constexpr std::size_t kinds = 3;  // of times: to the first token, per further token, end to end

PaperSetup cluster(const std::vector<Override>& set) {
  return {.scenario = "s13_splitwise", .set = set, .trace = "AzureLLMInferenceTrace_conv.csv"};
}

/// All machines alike; the second pool, which must have a replica, gets no requests.
PaperSetup baseline(int machines, const std::vector<Override>& more) {
  return cluster({{"cluster.nodes", std::to_string(machines + 1)},
                  {"pools[0].placement", "{policy: colocated}"},
                  {"pools[0].replicas", std::to_string(machines)},
                  {"pools[1].replicas", "1"}})
      .with(more);
}

/// Of all requests, kind after kind.
std::vector<double> times_of(const Recorder& recorder) {
  const std::size_t requests = recorder.requests().size();
  std::vector<double> times(kinds * requests);
  for (const RequestRecord& r : recorder.requests()) {
    const double further_tokens = static_cast<double>(std::max<std::int64_t>(1, r.output_tokens - 1));
    const std::array<double, kinds> of_request{
        *r.first_token_s - r.arrival_s, (*r.finish_s - *r.first_token_s) / further_tokens, *r.finish_s - r.arrival_s};
    for (std::size_t kind = 0; kind < kinds; ++kind) times[kind * requests + index(r.id)] = of_request[kind];
  }
  return times;
}

/// The paper's table of bounds on slowdowns: for each kind of time at P50, P90, P99.
bool kept(const std::vector<double>& times, const std::vector<double>& alone) {
  constexpr double bounds[kinds][3] = {{2, 3, 6}, {1.25, 1.5, 5}, {1.25, 1.5, 5}};
  constexpr std::size_t percentiles[3] = {50, 90, 99};
  const std::size_t requests = times.size() / kinds;
  for (std::size_t kind = 0; kind < kinds; ++kind) {
    std::vector<double> slowdowns;
    for (std::size_t i = kind * requests; i < (kind + 1) * requests; ++i)
      if (alone[i] > 0) slowdowns.push_back(times[i] / alone[i]);
    std::ranges::sort(slowdowns);
    for (std::size_t p = 0; p < 3; ++p)
      if (slowdowns[slowdowns.size() * percentiles[p] / 100] > bounds[kind][p]) return false;
  }
  return true;
}

std::vector<double> times_at(const PaperSetup& setup, double rate_scale, const PublicTraces& traces) {
  return in_own_process([&] {
    return times_of(simulate_here(setup.with({{rate_setting, std::to_string(rate_scale)}}), traces).recorder);
  });
}

/// The most that the trace can be sped up with slowdowns inside their bounds, against a machine of one's own.
Quantity capacity(const PaperSetup& setup) {
  return own_probe(setup, [setup](const PublicTraces& traces) {
    const std::vector<double> alone =
        times_at(baseline(70, {{"pools[0].router.policy", "least_requests"}}), 0.5, traces);
    const RateSearch search{.path = rate_setting, .low = 8, .high = 100, .precision = 0.02};
    return std::vector<double>{
        highest_rate(search, [&](double rate) { return kept(times_at(setup, rate, traces), alone); })};
  });
}

}  // namespace

PaperSystem all_figures() {
  const Quantity aa = capacity(cluster({}));
  const Quantity a100 = capacity(baseline(70, {}));
  std::vector<Override> capped = h100;
  capped.insert(capped.end(), {{"pools[0].placement.setup_s", "0.005"},
                               {"pools[0].replicas", "17"},
                               {"pools[1].replicas", "18"},
                               {"pools[1].power_cap_w", "350"}});
  const Quantity hhcap = capacity(cluster(capped));
  const Quantity all_h100 = capacity(baseline(40, h100));
  constexpr double dgx_h100 = 1.75;  // power of a DGX A100, as the paper counts it
  constexpr double dgx_h100_capped = 1.23;
  const Quantity power = (17 * dgx_h100 + 18 * dgx_h100_capped) / (40 * dgx_h100);
  const FigureUnit of_the_trace{.digits = 1, .unit = " times the trace's rate"};
  return {.id = "S13",
          .title = "Splitwise",
          .source = "ISCA 2024: clusters of the same power, conversation trace",
          .rows = {{.figure = "load of Splitwise-AA over Baseline-A100",
                    .unit = as_times(),
                    .published = exactly(2.15),
                    .asked = within(0.2, 2.15),
                    .ours = aa / a100},
                   {.figure = "load of Splitwise-HHcap over Baseline-H100",
                    .unit = as_times(),
                    .published = exactly(1),
                    .asked = within(0.2, 1),
                    .ours = hhcap / all_h100},
                   {.figure = "power that HHcap saves at that",
                    .unit = as_percent(),
                    .published = exactly(0.25),
                    .asked = around(0.25, 0.05),
                    .ours = 1 - power},
                   {.figure = "load of Splitwise-AA", .unit = of_the_trace, .ours = aa},
                   {.figure = "load of Baseline-A100", .unit = of_the_trace, .ours = a100}}};
}

}  // namespace servecast::s13_splitwise
