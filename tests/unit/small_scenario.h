#pragma once
#include <string>

namespace servecast {

/// A scenario that runs in a moment.
inline const std::string small_scenario =
    "name: small  # a title\n"
    "seed: 3\n"
    "workload:\n"
    "  generate:\n"
    "    requests: 50\n"
    "    arrivals: {poisson: {requests_per_s: 5}}\n"
    "    prompt_tokens: {fixed: 200}\n"
    "    output_tokens: {fixed: 20}\n"
    "slo: {ttft_s: 1.0, tpot_s: 0.05}\n"
    "cluster: {node: dgx_h100}\n"
    "pools:\n"
    "  - name: chat\n"
    "    llm: llama-3.1-8b  # small\n"
    "    gpu: h100_sxm_80g\n"
    "    replicas: 2\n";

}  // namespace servecast
