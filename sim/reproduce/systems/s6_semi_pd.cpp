#include "sim/reproduce/probes/highest_rate.h"
#include "sim/reproduce/reproduction.h"

namespace servecast::s6_semi_pd {
namespace {

const std::vector<Override> llama_70b{{"pools[0].llm", "llama-3-70b"},
                                      {"pools[0].tensor_parallel", "4"},
                                      {"pools[0].placement.ttft_s", "0.85"},
                                      {"pools[0].placement.tpot_s", "0.3"},
                                      {"slo.ttft_s", "0.85"},
                                      {"slo.tpot_s", "0.3"}};
const Override colocated{"pools[0].placement", "{policy: colocated}"};

/// At which 90 % of requests keep their bounds.
Quantity rate_borne(const PaperSetup& setup) {
  return rate_probe(setup, {.low = 4, .high = 40, .precision = 0.01}, {{missed_fraction, 0.1}});
}

/// The systems on one GPU, or one group of GPUs.
struct RatesBorne {
  Quantity moved, fixed, chunked, prompts_first;
};

RatesBorne rates_borne(const std::vector<Override>& common) {
  const PaperSetup semi_pd{.scenario = "s6_semi_pd", .set = common};
  // 512: vLLM's default with chunked prefill until its pull request 10544 (0.6.5).
  const Override chunks{"pools[0].batcher",
                        "{policy: vllm_v1, max_num_batched_tokens: 512, max_num_seqs: 256, async_scheduling: false}"};
  const Override fixed{"pools[0].placement", "{policy: semi_pd, prefill_sm_fraction: 1, decode_sm_fraction: 1}"};
  return {.moved = rate_borne(semi_pd),
          .fixed = rate_borne(semi_pd.with({fixed})),
          .chunked = rate_borne(semi_pd.with({colocated, chunks})),
          .prompts_first = rate_borne(semi_pd.with({colocated, {"pools[0].batcher.max_num_seqs", "256"}}))};
}

/// Of each of its two GPUs.
Quantity distserve_rate() {
  const PaperSetup setup{.scenario = "s6_distserve"};
  const RateSearch search{.low = 8, .high = 80, .precision = 0.01};
  return Quantity(rate_probe(setup, search, {{missed_fraction, 0.1}})) / 2;
}

}  // namespace

PaperSystem all_figures() {
  const RatesBorne small = rates_borne({});
  const RatesBorne large = rates_borne(llama_70b);
  const Quantity apart = distserve_rate();
  const FigureRange asked = between(1.2, 2.2);
  const std::string idle =
      "SMs that both sides may use are never idle here while either has work, so moving them gains nothing";
  return {.id = "S6",
          .title = "semi-PD: rate",
          .source = "arXiv 2504.19867: rate per GPU at which 90 % keep TTFT and TPOT, ShareGPT, Llama 3",
          .rows = {{.figure = "8B: rate over chunked prefill",
                    .unit = as_times(),
                    .published = exactly(1.55),
                    .asked = asked,
                    .ours = small.moved / small.chunked},
                   {.figure = "8B: over prompts first (vLLM)",
                    .unit = as_times(),
                    .published = exactly(1.72),
                    .asked = asked,
                    .ours = small.moved / small.prompts_first},
                   {.figure = "8B: over DistServe",
                    .unit = as_times(),
                    .published = exactly(1.62),
                    .asked = asked,
                    .ours = small.moved / apart},
                   {.figure = "8B: over fixed shares (100, 100)",
                    .unit = as_times(),
                    .published = exactly(1.11),
                    .asked = at_least(1),
                    .ours = small.moved / small.fixed,
                    .missed = idle},
                   {.figure = "8B: rate", .unit = as_rate(1), .ours = small.moved},
                   {.figure = "8B: fixed shares over chunked prefill",
                    .unit = as_times(),
                    .asked = asked,
                    .ours = small.fixed / small.chunked},
                   {.figure = "70B on four GPUs: rate over chunked prefill",
                    .unit = as_times(),
                    .asked = asked,
                    .ours = large.moved / large.chunked},
                   {.figure = "70B: over prompts first (vLLM)",
                    .unit = as_times(),
                    .asked = asked,
                    .ours = large.moved / large.prompts_first},
                   {.figure = "70B: over fixed shares (100, 100)",
                    .unit = as_times(),
                    .asked = at_least(1),
                    .ours = large.moved / large.fixed}}};
}

}  // namespace servecast::s6_semi_pd
