#include <fmt/format.h>

#include <array>
#include <map>

#include "sim/reproduce/probes/forked.h"
#include "sim/reproduce/probes/highest_rate.h"
#include "sim/reproduce/probes/worst_gaps.h"
#include "sim/reproduce/reproduction.h"

namespace servecast::s8_mooncake_capacity {
namespace {

constexpr std::array bounds_s = {0.1, 0.2, 0.3};
constexpr double first_token_within_s = 30;

const PaperSetup mooncake{.scenario = "s8_mooncake_capacity", .trace = "conversation_trace.jsonl"};
const std::vector<Override> as_vllm{{"cluster.nodes", "17"},
                                    {"pools[0].replicas", "16"},
                                    {"pools[1].replicas", "1"},
                                    {"pools[0].placement", "{policy: colocated}"},
                                    {"pools[0].router", "{policy: round_robin}"},
                                    {"pools[0].batcher", "{policy: vllm_v0, max_num_batched_tokens: 131072}"},
                                    {"pools[0].kv_cache", "{policy: paged}"}};

/// Shares of requests with their first token in time and a time between tokens within each of the bounds.
std::vector<double> shares_of(const Recorder& recorder, const WorstGaps& gaps) {
  std::vector<double> shares(bounds_s.size());
  for (const RequestRecord& r : recorder.requests()) {
    if (*r.first_token_s - r.arrival_s > first_token_within_s) continue;
    const double gap_s = gaps.of(r);
    for (std::size_t i = 0; i < bounds_s.size(); ++i)
      if (gap_s <= bounds_s[i]) shares[i] += 1;
  }
  for (double& share : shares) share /= static_cast<double>(recorder.count());
  return shares;
}

/// For each of the bounds, the highest rate that 90 % of requests bear, as a multiple of the trace's.
ProbePtr capacities(const PaperSetup& setup) {
  return slow(own_probe(setup, [setup](const PublicTraces& traces) {
    const RateSearch search{.path = "workload.trace.rate_scale", .low = 0.5, .high = 2.5, .precision = 0.05};
    std::map<double, std::vector<double>> seen;  // the searches begin with the same rates
    const auto shares_at = [&](double rate) {
      if (const auto found = seen.find(rate); found != seen.end()) return found->second;
      return seen[rate] = in_own_process([&] {
               WorstGaps gaps;
               const PaperRecords run = simulate_here(setup.with(search.at(rate)), traces, {.detail = &gaps});
               return shares_of(run.recorder, gaps);
             });
    };
    std::vector<double> rates;
    for (std::size_t i = 0; i < bounds_s.size(); ++i)
      rates.push_back(highest_rate(search, [&](double rate) { return shares_at(rate)[i] >= 0.9; }));
    return rates;
  }));
}

/// One request alone on a prefill node: its first token, and then each further one.
ProbePtr alone(std::int64_t prompt_tokens, const std::string& engine) {
  return run_probe(
      {.scenario = mooncake.scenario,
       .set = {{"workload", fmt::format("{{generate: {{requests: 1, arrivals: {{poisson: {{requests_per_s: 1}}}}, "
                                        "prompt_tokens: {{fixed: {}}}, output_tokens: {{fixed: 50}}}}}}",
                                        prompt_tokens)},
               {"pools[0].engine", engine},
               {"pools[0].router", "{policy: round_robin}"},
               {"pools[0].placement", "{policy: colocated}"}}},
      {figure_at("ttft_s.mean"), figure_at("tpot_s.mean")});
}

void add_gains(PaperSystem& system) {
  const ProbePtr apart = capacities(mooncake);
  const ProbePtr together = capacities(mooncake.with(as_vllm));
  const std::array<double, 3> published{4.98, 1.57, 0.59};
  const std::array<FigureRange, 3> asked{at_least(3), between(0.8, 2.5), between(0.3, 1.0)};
  std::vector<Quantity> gains;
  for (std::size_t i = 0; i < bounds_s.size(); ++i) {
    const std::string within = fmt::format(", tokens within {:.0f} ms", 1e3 * bounds_s[i]);
    gains.push_back(Quantity(apart, i) / Quantity(together, i) - 1);
    system.rows.push_back(
        {.figure = "rate above vLLM's" + within,
         .unit = as_percent(),
         .published = exactly(published[i]),
         .asked = asked[i],
         .ours = gains.back(),
         .missed = i == 0 ? "vLLM's pauses are not long enough here to break the tightest bound" : ""});
    const FigureUnit of_the_trace{.digits = 2, .unit = " times the trace's rate"};
    system.rows.push_back({.figure = "rate" + within, .unit = of_the_trace, .ours = Quantity(apart, i)});
    system.rows.push_back({.figure = "vLLM's rate" + within, .unit = of_the_trace, .ours = Quantity(together, i)});
  }
  system.rows.push_back({.figure = "gain at 100 ms over that at 200 ms",
                         .unit = as_times(),
                         .asked = at_least(1),
                         .ours = gains[0] / gains[1]});
  system.rows.push_back({.figure = "gain at 200 ms over that at 300 ms",
                         .unit = as_times(),
                         .asked = at_least(1),
                         .ours = gains[1] / gains[2]});
}

}  // namespace

PaperSystem all_figures() {
  PaperSystem system{
      .id = "S8",
      .title = "Mooncake: capacity",
      .source = "FAST 2025: effective capacity, conversation trace, time between tokens within 100, 200, 300 ms"};
  add_gains(system);
  for (const auto& [tokens, published_s] :
       {std::pair(8192, 1.0), {16384, 2.0}, {32768, 4.5}, {65536, 10.5}, {131000, 27.5}})
    system.rows.push_back(
        {.figure = fmt::format("a lone prompt of {}k tokens", tokens / 1000 * 1000 == tokens ? 128 : tokens / 1024),
         .unit = as_seconds(),
         .published = exactly(published_s),
         .asked = within(0.1, published_s),
         .ours = Quantity(alone(tokens, "vllm-0.15"), 0)});
  const std::string short_steps =
      "kernels of today's profile are faster; vLLM of that time ran contexts above 8,192 tokens without CUDA graphs "
      "(max_seq_len_to_capture), at a cost that is not published";
  system.rows.push_back({.figure = "its decode step after 8k tokens, host terms of vLLM 0.6",
                         .unit = as_ms(1),
                         .published = exactly(0.027),
                         .asked = within(0.1, 0.027),
                         .ours = Quantity(alone(8192, "vllm-0.6"), 1),
                         .missed = short_steps});
  system.rows.push_back({.figure = "its decode step after 128k tokens, host terms of vLLM 0.6",
                         .unit = as_ms(1),
                         .published = exactly(0.031),
                         .asked = within(0.1, 0.031),
                         .ours = Quantity(alone(131000, "vllm-0.6"), 1),
                         .missed = short_steps});
  return system;
}

}  // namespace servecast::s8_mooncake_capacity
