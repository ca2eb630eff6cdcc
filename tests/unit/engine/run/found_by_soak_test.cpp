// Drawn scenarios, made small, in which steps put before the engine once gave other bytes (scripts/soak).
#include <gtest/gtest.h>

#include "tests/unit/engine/everything_of.h"

namespace servecast::found_by_soak_test {

/// Clients of two replicas give up at one instant, and share what they draw for their next requests.
const std::string clients_that_leave_together = R"(
workload:
  generate:
    requests: 75
    arrivals: {closed_loop: {clients: 12}}
    prompt_tokens: {exponential: {mean: 500}}
    output_tokens: {lognormal: {median: 30, sigma: 0.9}}
  client_timeout_s: 0.3
cluster: {node: pcie_server}
pools:
  - {name: chat, llm: qwen2.5-7b, gpu: l40s_48g, placement: {policy: mooncake, decode_pool: second}}
  - name: second
    llm: qwen2.5-7b
    gpu: l40s_48g
    replicas: 2
    kv_cache: {policy: radix}
    kv_tiers: {levels: [{kind: shared, capacity_bytes: 1e10}]}
    router: {policy: weighted, running_weight: 1, session_weight: 2}
)";

/// Decodes evict what a waiting request found cached of its prompt: then it wants fewer blocks, and fits.
const std::string a_request_that_wants_less = R"(
seed: 1006609
workload:
  mix:
    - generate:
        requests: 70
        arrivals: {closed_loop: {clients: 30}}
        prompt_tokens: {exponential: {mean: 500}}
        output_tokens: {lognormal: {median: 30, sigma: 0.9}}
        sessions: {turns: {uniform: {min: 1, max: 8}}, think_s: {exponential: {mean: 0.1}}, max_session_tokens: 4000}
        system_prompts: {count: 20, tokens: 160, zipf_exponent: 1}
        cold_fraction: 0.3
cluster: {groups: [{node: hgx_a800, name: first}]}
pools:
  - name: chat
    llm: llama-3.1-8b
    gpu: a800_sxm_80g
    pipeline_parallel: 2
    autoscaler: {policy: predictive, requests_per_s: 8, check_every_s: 2}
    batcher: {max_num_batched_tokens: 512}
    kv_cache: {policy: radix, num_gpu_blocks_override: 4000}
)";

TEST(FoundBySoak, ClientsThatLeaveTogetherGoOnInOneOrder) {
  EXPECT_EQ(everything_of(clients_that_leave_together, false), everything_of(clients_that_leave_together, true));
}

TEST(FoundBySoak, ARequestThatComesToWantFewerBlocksIsAdmittedThen) {
  EXPECT_EQ(everything_of(a_request_that_wants_less, false), everything_of(a_request_that_wants_less, true));
}

}  // namespace servecast::found_by_soak_test
