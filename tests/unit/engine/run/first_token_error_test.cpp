// What a draw of the error of first tokens moves.
#include <gtest/gtest.h>

#include "tests/unit/engine/scenario_text.h"
#include "tests/unit/engine/whole_runs.h"

namespace servecast::first_token_error_test {

/// TTFT of two requests of one server that takes one at a time, in 1/64 s: steps take two of these.
std::string ttfts(const std::string& arrivals, double factor) {
  return in_child([&] {
    Scenario scenario = scenario_from("workload: {generate: {requests: 2, arrivals: " + arrivals +
                                      ", prompt_tokens: {fixed: 16}, output_tokens: {fixed: 1}}}\n"
                                      "cluster: {node: dgx_h100}\npools:\n"
                                      "  - {name: chat, llm: llama-3.1-8b, gpu: h100_sxm_80g, engine: none, "
                                      "batcher: {policy: vllm_v1, max_num_seqs: 1}}\n");
    scenario.pools[0].latency = std::make_unique<ConstantLatency>(1);
    scenario.pools[0].draw.first_token_factor = factor;
    const Finished finished = run_it(scenario);
    std::string text;
    for (const RequestRecord& r : finished.recorder.requests())
      text += fmt::format("{:.0f} ", (*r.first_token_s - r.arrival_s) * 64);
    return text;
  });
}

const std::string both_at_once = "{constant: {requests_per_s: 1.0e9}}";
const std::string two_clients = "{closed_loop: {clients: 2}}";

// The second waits for a step of the first, 2, and takes 2 itself. Half as much again is 1 of each one's own step; of
// clients that wait for their answers it is of the queue, too.
TEST(FirstTokenError, LeavesTheQueueOfAnOpenLoadToItsSteps) {
  EXPECT_EQ(ttfts(both_at_once, 1), "2 4 ");
  EXPECT_EQ(ttfts(both_at_once, 1.5), "3 5 ");
  EXPECT_EQ(ttfts(two_clients, 1), "2 4 ");
  EXPECT_EQ(ttfts(two_clients, 1.5), "3 6 ");
}

}  // namespace servecast::first_token_error_test
