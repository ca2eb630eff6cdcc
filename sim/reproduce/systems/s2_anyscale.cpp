#include <fmt/format.h>

#include <algorithm>

#include "sim/reproduce/probes/simulated.h"
#include "sim/reproduce/reproduction.h"

namespace servecast::s2_anyscale {
namespace {

struct LongestOutput {
  std::int64_t tokens = 0;
  std::int64_t static_batch = 0;  // as the benchmark has it
};

PaperSetup with_outputs(const std::string& outputs) {
  return {.scenario = "s2_continuous_batching", .set = {{"workload.generate.output_tokens", outputs}}};
}

double tokens_per_s(const PaperRecords& run) {
  return run.summary.prompt_tokens_per_s + run.summary.output_tokens_per_s;
}
double requests_per_s(const PaperRecords& run) { return run.summary.requests_per_s; }
double longest_output(const PaperRecords& run) {
  std::int64_t longest = 0;
  for (const RequestRecord& r : run.recorder.requests()) longest = std::max(longest, r.output_tokens);
  return static_cast<double>(longest);
}

/// Tokens per second of a plain loop, of continuous batching and of vLLM. In the loop each sequence of a batch makes
/// as many tokens as the longest of all outputs, and those are counted that were wanted.
ProbePtr three_systems(const LongestOutput& cut) {
  const PaperSetup setup = with_outputs(fmt::format("{{exponential: {{mean: 128}}, max: {}}}", cut.tokens));
  return own_probe(setup, [setup, cut](const PublicTraces& traces) {
    const std::vector<double> vllm = simulate(setup, traces, {tokens_per_s, requests_per_s, longest_output});
    const PaperSetup pieces = setup.with({{"pools[0].batcher.policy", "orca"},
                                          {"pools[0].kv_cache.policy", "contiguous_max"},
                                          {"pools[0].kv_cache.max_tokens", std::to_string(512 + cut.tokens)}});
    const PaperSetup loop = with_outputs(fmt::format("{{fixed: {:.0f}}}", vllm[2]))
                                .with({{"pools[0].batcher.policy", "static"},
                                       {"pools[0].batcher.max_batch_size", std::to_string(cut.static_batch)}});
    const double wanted_tokens_per_request = vllm[0] / vllm[1];
    return std::vector<double>{simulate(loop, traces, {requests_per_s})[0] * wanted_tokens_per_request,
                               simulate(pieces, traces, {tokens_per_s})[0], vllm[0]};
  });
}

}  // namespace

PaperSystem all_figures() {
  PaperSystem system{.id = "S2",
                     .title = "Anyscale",
                     .source = "Anyscale's blog, 2023: continuous against static batching, OPT-13B"};
  Quantity continuous_before = 0;
  Quantity paged_before = 0;
  for (const LongestOutput& cut :
       {LongestOutput{32, 16}, LongestOutput{128, 12}, LongestOutput{512, 8}, LongestOutput{1536, 4}}) {
    const ProbePtr probe = three_systems(cut);
    const Quantity loop(probe, 0);
    const Quantity continuous = Quantity(probe, 1) / loop;
    const Quantity paged = Quantity(probe, 2) / loop;
    const std::string up_to = fmt::format(", outputs up to {} tokens", cut.tokens);
    PaperRow first{
        .figure = "continuous batching over a plain loop" + up_to, .unit = as_times(1), .ours = continuous};
    PaperRow second{.figure = "vLLM over a plain loop" + up_to, .unit = as_times(1), .ours = paged};
    if (cut.tokens == 32) {  // about 1 to 2: a piece for 544 tokens is rounded up to one for 1,024
      first.asked = between(0.8, 2);
      second.asked = between(1, 2);
    } else {
      system.rows.push_back({.figure = "continuous batching: gain over that of shorter outputs" + up_to,
                             .unit = as_times(),
                             .asked = at_least(1),
                             .ours = continuous / continuous_before});
      system.rows.push_back({.figure = "vLLM: gain over that of shorter outputs" + up_to,
                             .unit = as_times(),
                             .asked = at_least(1),
                             .ours = paged / paged_before});
    }
    if (cut.tokens == 1536) {
      first.published = exactly(8);
      first.asked = between(4, 10);
      second.published = exactly(23);
      second.asked = between(12, 30);
      system.rows.push_back(
          {.figure = "a plain loop" + up_to, .unit = as_tokens(0), .published = exactly(81), .ours = loop});
    }
    system.rows.push_back(std::move(first));
    system.rows.push_back(std::move(second));
    continuous_before = continuous;
    paged_before = paged;
  }
  return system;
}

}  // namespace servecast::s2_anyscale
