// A draw of the error of steps moves what follows them, too.
#include <gtest/gtest.h>

#include "tests/unit/engine/scenario_text.h"
#include "tests/unit/engine/whole_runs.h"

namespace servecast::front_end_error_test {

/// When four requests of three tokens have ended, in 1/64 s: a step takes two of these, a piece of an answer one.
std::string ends(double factor) {
  return in_child([&] {
    Scenario scenario = scenario_from(
        "workload: {generate: {requests: 4, arrivals: {constant: {requests_per_s: 1.0e9}}, prompt_tokens: {fixed: "
        "16}, "
        "output_tokens: {fixed: 3}}}\ncluster: {node: dgx_h100}\npools:\n"
        "  - {name: chat, llm: llama-3.1-8b, gpu: h100_sxm_80g, engine: none}\n");
    scenario.pools[0].latency = std::make_unique<ConstantLatency>(1);
    scenario.pools[0].engine.frontend_sequence_s = 1.0 / 64;
    scenario.pools[0].draw.steps_factor = factor;
    const Finished finished = run_it(scenario);
    std::string text;
    for (const RequestRecord& r : finished.recorder.requests()) text += fmt::format("{:.0f} ", *r.finish_s * 64);
    return text;
  });
}

// The first request is alone in two steps, whose pieces are seen at 3 and 5. Its last one is of the step that ends at
// 6, with three first ones: 10. Two steps of three pieces wait for these: 13 and 16. Where pieces take twice as long:
// 4, 6, 14, 20, 26.
TEST(FrontEndError, PiecesOfAnswersTakeLongerWithTheSteps) {
  EXPECT_EQ(ends(1), "10 16 16 16 ");
  EXPECT_EQ(ends(2), "14 26 26 26 ");
}

}  // namespace servecast::front_end_error_test
