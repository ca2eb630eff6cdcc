#pragma once
#include <array>
#include <cstdint>

namespace servecast {

/// What measurements have in common: how their load was made, and what is served. A page of docs/accuracy each.
enum class Regime : std::uint8_t {
  open_loop,
  closed_loop_vllm,
  closed_loop_others,
  closed_loop_experts,
  blackwell,
  disaggregated,
  prefill,
  offline,
  mlperf,
  router_ladder,
  kv_tiers,
  kv_transfers,
  cold_start,
};

struct RegimeFacts {
  Regime regime;
  const char* key;  // its page's name
  const char* title;
  const char* load;  // how it was made, a sentence for the page
};

inline constexpr std::array<RegimeFacts, 13> regimes{{
    {Regime::open_loop, "open_loop", "vLLM, open loop",
     "A hundred fixed prompts come in a cycle, as a Poisson process of a stated rate; vLLM 0.15 (inference-perf)."},
    {Regime::closed_loop_vllm, "closed_loop_vllm", "closed loop, vLLM, dense models on Hopper",
     "A fixed number of clients; each sends its next prompt when the answer before is complete (InferenceMAX and "
     "AIConfigurator's sample of measured servers)."},
    {Regime::closed_loop_others, "closed_loop_others", "closed loop, TensorRT-LLM and SGLang, dense models on Hopper",
     "As for vLLM's closed loop."},
    {Regime::closed_loop_experts, "closed_loop_experts", "closed loop, mixtures of experts on Hopper",
     "As for vLLM's closed loop; three engines."},
    {Regime::blackwell, "blackwell", "closed loop on Blackwell", "As for vLLM's closed loop; three engines."},
    {Regime::disaggregated, "disaggregated", "prefill/decode disaggregated",
     "As for vLLM's closed loop; prefill and decode have workers of their own (Dynamo). Behind llm-d's router: "
     "Poisson stages of rising rate."},
    {Regime::prefill, "prefill", "prompts alone",
     "One prompt at a time on an idle server (llm-d's calibration), or as many as all ranks of a wide expert group "
     "have room for (LMSYS): prompt tokens/s."},
    {Regime::offline, "offline", "TensorRT-LLM, offline",
     "All requests are there at the beginning; output tokens/s of the whole run (trtllm-bench, "
     "gptManagerBenchmark)."},
    {Regime::mlperf, "mlperf", "MLPerf Inference v5.1",
     "Poisson arrivals at the rate of the submission (Server, Interactive), or all samples at once (Offline). The "
     "highest valid rate is the highest of the rates that submitters of one setup chose; by forecast the "
     "highest at which P99 of TTFT and TPOT keep the row's limits."},
    {Regime::router_ladder, "router_ladder", "router ladder on 16 H100",
     "Poisson stages of rising rate, each begun when the one before has drained; 150 groups of prompts with 6,000 "
     "shared tokens (llm-d)."},
    {Regime::kv_tiers, "kv_tiers", "KV in CPU memory on 16 H100",
     "Poisson stages, or 45 clients; groups of prompts whose prefixes do not all fit into GPU memory (llm-d)."},
    {Regime::kv_transfers, "kv_transfers", "KV transfers between engines",
     "One request at a time, whose KV goes from a prefill engine on one node to a decode engine on another, 25 GB/s "
     "of RDMA beside each GPU (Mooncake)."},
    {Regime::cold_start, "cold_start", "cold start",
     "The first request finds no replica: one starts on a machine that has neither image nor weights. Or the replica "
     "is asleep, its weights in host memory (llm-d on GKE). Two rates are the test bed's own, as its page has them: "
     "8.91e9 bytes of image in 69 s, and 61.03 GiB of download in 86.6 s. The machine is virtual and its sandbox "
     "gVisor. The same terms say 76 s of a start without download that vLLM's own benchmark of this model measured "
     "at "
     "68.5 s on another machine (pull request 32191). No error of a start is drawn, so it has no interval."},
}};

constexpr const RegimeFacts& facts(Regime regime) { return regimes[static_cast<std::size_t>(regime)]; }

}  // namespace servecast
