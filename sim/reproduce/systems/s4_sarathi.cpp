#include "sim/reproduce/probes/highest_rate.h"
#include "sim/reproduce/reproduction.h"

namespace servecast::s4_sarathi {
namespace {

constexpr const char* vllm_batcher = "{policy: vllm_v0, max_num_batched_tokens: 8192}";

PaperSetup with_batcher(const std::string& batcher) {
  return {.scenario = "s4_sarathi_stall_free", .set = {{"pools[0].batcher", batcher}}};
}

const RateSearch search{.low = 0.1, .high = 3};

/// P99 time between tokens within 0.2 s, and half of the requests wait no more than 2 s.
std::vector<RatePromise> strict() { return {{figure_at("itl_s.p99"), 0.2}, {figure_at("queue_s.p50"), 2}}; }

Quantity capacity(const std::string& batcher) { return rate_probe(with_batcher(batcher), search, strict()); }

/// P99 over P50 of the time between tokens of vLLM, at the rate that chunks bear.
Quantity vllm_tail(const std::string& chunked) {
  const PaperSetup setup = with_batcher(vllm_batcher);
  const ProbePtr rate = rate_probe(with_batcher(chunked), search, strict());
  return own_probe(setup, [setup, rate](const PublicTraces& traces) {
    const std::vector<double> gaps_s = simulate(setup.with(search.at(rate->measure(traces)[0])), traces,
                                                {figure_at("itl_s.p99"), figure_at("itl_s.p50")});
    return std::vector<double>{gaps_s[0] / gaps_s[1]};
  });
}

}  // namespace

PaperSystem all_figures() {
  const std::string chunks = "{policy: sarathi, chunk_tokens: 512}";
  const Quantity chunked = capacity(chunks);
  const Quantity vllm = capacity(vllm_batcher);
  const Quantity orca = capacity("{policy: orca}");
  return {.id = "S4",
          .title = "Sarathi-Serve",
          .source = "OSDI 2024: chunked prefill, Yi-34B on two A100, P99 time between tokens 0.2 s",
          .rows = {{.figure = "load over vLLM",
                    .unit = as_times(1),
                    .published = exactly(3.7),
                    .asked = at_least(2),
                    .ours = chunked / vllm},
                   {.figure = "load over Orca",
                    .unit = as_times(1),
                    .published = exactly(4.0),
                    .asked = at_least(2),
                    .ours = chunked / orca},
                   {.figure = "load", .unit = as_rate(), .ours = chunked},
                   {.figure = "load of vLLM", .unit = as_rate(), .ours = vllm},
                   {.figure = "load of Orca", .unit = as_rate(), .ours = orca},
                   {.figure = "vLLM's P99 over its median, at the load that chunks bear",
                    .unit = as_times(0),
                    .asked = at_least(5),
                    .ours = vllm_tail(chunks)}}};
}

}  // namespace servecast::s4_sarathi
