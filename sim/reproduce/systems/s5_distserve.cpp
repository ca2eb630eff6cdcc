#include <fmt/format.h>

#include "sim/reproduce/probes/highest_rate.h"
#include "sim/reproduce/reproduction.h"

namespace servecast::s5_distserve {
namespace {

const RateSearch search{.low = 0.2, .high = 20};

Quantity vllm_rate() {
  return rate_probe({.scenario = "s5_distserve",
                     .set = {{"pools[0].placement", "{policy: colocated}"},
                             {"pools[0].tensor_parallel", "1"},
                             {"pools[0].batcher", "{policy: vllm_v0, max_num_seqs: 128}"},
                             {"pools[0].latency.tables", "distserve/vllm_opt13b_tp1"}}},
                    search, {{promise_broken, 0}});
}

/// Per GPU.
Quantity distserve_rate(std::int64_t prefill_gpus, std::int64_t decode_gpus) {
  const std::string prefill = std::to_string(prefill_gpus);
  const std::string decode = std::to_string(decode_gpus);
  const PaperSetup setup{.scenario = "s5_distserve",
                         .set = {{"pools[0].tensor_parallel", prefill},
                                 {"pools[0].latency.tables", "distserve/opt13b_tp" + prefill},
                                 {"pools[1].tensor_parallel", decode},
                                 {"pools[1].latency.tables", "distserve/opt13b_tp" + decode}}};
  return Quantity(rate_probe(setup, search, {{promise_broken, 0}})) / static_cast<double>(prefill_gpus + decode_gpus);
}

}  // namespace

PaperSystem all_figures() {
  const Quantity vllm = vllm_rate();
  const Quantity one_one = distserve_rate(1, 1);
  const Quantity two_one = distserve_rate(2, 1);
  const Quantity one_two = distserve_rate(1, 2);
  const Quantity two_two = distserve_rate(2, 2);
  const Quantity best = larger(larger(one_one, two_one), larger(one_two, two_two));
  return {
      .id = "S5",
      .title = "DistServe",
      .source = "OSDI 2024: OPT-13B, ShareGPT, TTFT 0.25 s and TPOT 0.1 s for 90 %, with the authors' step times",
      .rows = {{.figure = "rate per GPU over vLLM, best split",
                .unit = as_times(1),
                .published = between(2.0, 4.6),
                .asked = at_least(1.5),
                .ours = best / vllm},
               {.figure = "the same, prompts and decodes on 2 + 2 GPUs", .unit = as_times(1), .ours = two_two / vllm},
               {.figure = "on 2 + 1, the paper's best",
                .unit = as_times(1),
                .asked = at_least(1.5),
                .ours = two_one / vllm},
               {.figure = "on 1 + 2", .unit = as_times(1), .ours = one_two / vllm},
               {.figure = "prompts on at least as many GPUs as decodes: best such split over the others",
                .unit = as_times(),
                .asked = at_least(1),
                .ours = larger(larger(one_one, two_one), two_two) / one_two},
               {.figure = "rate per GPU", .unit = as_rate(), .ours = best},
               {.figure = "rate per GPU of vLLM", .unit = as_rate(), .ours = vllm}}};
}

}  // namespace servecast::s5_distserve
