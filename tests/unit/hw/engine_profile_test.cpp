#include "models/hw/engine/engine_profile.h"

#include <gtest/gtest.h>

#include <cmath>

#include "models/hw/profile/operator_model.h"
#include "tests/unit/hw/made_up.h"

namespace servecast::engine_profile_test {

// 10 ms + 3 ms + 5 x 40 us, of two prompts that end and three decodes.
TEST(AnswerPath, AddsTheWayAndEveryPieceOfTheStep) {
  const AnswerPath path{.fixed_s = 3e-3, .piece_s = 40e-6};
  EXPECT_NEAR(path.seen_s(10e-3, 2, 3, 0), 13.2e-3, 1e-15);
}

// A step of one sequence right after one of 256: the loop is busy with their pieces until 20.24 ms.
TEST(AnswerPath, PiecesWaitForThoseOfTheStepBefore) {
  const AnswerPath path{.fixed_s = 3e-3, .piece_s = 40e-6};
  const double crowd_s = path.seen_s(10e-3, 0, 256, 0);
  EXPECT_NEAR(crowd_s, 23.24e-3, 1e-15);
  EXPECT_NEAR(path.seen_s(15e-3, 0, 1, crowd_s), crowd_s + 40e-6, 1e-15);
  EXPECT_NEAR(path.seen_s(21e-3, 0, 1, crowd_s), 24.04e-3, 1e-15);  // it is idle again
}

// Steps of 1 ms and 100 sequences: 25 steps a second for each, however long they go on.
TEST(AnswerPath, NoMorePiecesLeaveThanTheLoopHasTimeFor) {
  const AnswerPath path{.fixed_s = 3e-3, .piece_s = 400e-6};
  double seen_s = 0;
  for (int step = 1; step <= 1000; ++step) seen_s = path.seen_s(step * 1e-3, 0, 100, seen_s);
  EXPECT_NEAR(seen_s, 1e-3 + 1000 * 100 * 400e-6 + 3e-3, 1e-9);
}

// Every 20th token of a decode is a piece, every first token, and none where answers are not streamed.
TEST(AnswerPath, SeveralTokensAreAPiece) {
  const AnswerPath path{.piece_s = 40e-6, .pieces_per_token = 1.0 / 20};
  EXPECT_NEAR(path.seen_s(0, 3, 100, 0), 8 * 40e-6, 1e-15);
  EXPECT_EQ((AnswerPath{.piece_s = 40e-6, .pieces_per_token = 0}.seen_s(1, 0, 100, 0)), 1);
}

TEST(EngineProfile, HalfTheRequestPathLiesOnEitherSide) {
  const EngineProfile engine{.request_path_s = 6e-3, .frontend_sequence_s = 1e-6};
  EXPECT_DOUBLE_EQ(engine.inbound_s(0) + engine.answer_path().fixed_s, 6e-3);
}

// 3 s, and of 24 layers in two stages 12 x 0.5 s; the 23 of them that have experts 11.5 x 0.2 s more. Each process
// reads all of 20e9 bytes at 4e9 bytes/s.
TEST(EngineStart, GrowsWithTheLayersOfAStage) {
  const EngineStart start{
      .imports_s = 7, .checkpoint_bytes_per_s = 4e9, .init_s = 3, .layer_init_s = 0.5, .expert_layer_init_s = 0.2};
  Llm llm = tiny_llm();
  llm.layers = 24;
  EXPECT_DOUBLE_EQ(start.phases(llm, 20e9, 1).engine_init_s, 15);
  llm.experts = Experts{.count = 8, .active = 2, .intermediate = 64, .first_dense_layers = 1};
  const StartPhases phases = start.phases(llm, 20e9, 2);
  EXPECT_DOUBLE_EQ(phases.engine_init_s, 3 + 6 + 2.3);
  EXPECT_DOUBLE_EQ(phases.sum(), 7 + 5 + phases.engine_init_s);
  EXPECT_EQ(EngineStart{.checkpoint_bytes_per_s = {}}.phases(llm, 20e9, 1).gpu_load_s, 0);
}

// 1e-10 s per logit on an H100 of 3.35e12 bytes/s; the made-up GPU has 2e12: 1,000 x 1e-10 x 1.675.
TEST(EngineTerms, TheSamplerCountsOnlyWhereItSorts) {
  const EngineTerms terms{.sampler_s_per_logit = 1e-10};
  Llm llm = tiny_llm();
  EXPECT_EQ(sampler_s_per_token(terms, llm, made_up_gpu()), 0);
  llm.sampling = "topk_topp";
  EXPECT_NEAR(sampler_s_per_token(terms, llm, made_up_gpu()), 1.675e-7, 1e-18);
}

// 1 ms and 10 us for each of 100 sequences are 2 ms of host time.
TEST(EngineTerms, HostTimeHidesBehindTheGpuOrAddsUp) {
  EngineTerms terms{.host_step_s = 1e-3, .host_sequence_s = 1e-5};
  EXPECT_DOUBLE_EQ(with_host_s(terms, 5e-3, 100), 5e-3);
  EXPECT_DOUBLE_EQ(with_host_s(terms, 1.5e-3, 100), 2e-3);
  terms.host_overlapped = false;
  EXPECT_DOUBLE_EQ(with_host_s(terms, 5e-3, 100), 7e-3);
}

TEST(MemoryOverrides, AnotherRuleForgetsTheEnginesNumbers) {
  const MemorySettings engine{.rule = "trtllm", .gpu_memory_utilization = 0.8, .overhead_bytes = 2.5e9};
  EXPECT_EQ(MemoryOverrides{}.over(engine).overhead_bytes, 2.5e9);
  EXPECT_EQ(MemoryOverrides{.gpu_memory_utilization = 0.7}.over(engine).gpu_memory_utilization, 0.7);
  const MemorySettings other = MemoryOverrides{.rule = "vllm"}.over(engine);
  EXPECT_FALSE(other.gpu_memory_utilization);
  EXPECT_FALSE(other.overhead_bytes);
}

FittedOperator product(std::string dtype) {
  return {.op = "gemm",
          .dtype = std::move(dtype),
          .law = {.launch_s = 1e-6, .flop_per_s = 1e14, .bytes_per_s = 1e12, .sharpness = 2},
          .evidence = {.spread_fraction = {0.02, 0.06}}};
}

TEST(CalibrationDraw, MovesAllTimesOfAnOperatorTogether) {
  const KernelProfile exact{.name = "p", .operators = {product("bf16"), product("fp8"), {.op = "all_reduce"}}};
  const KernelProfile off = drawn(exact, 1, 7);
  const double factor = off.operators[0].law.launch_s / 1e-6;
  EXPECT_NE(factor, 1);
  EXPECT_NEAR(factor, 1, 5 * 0.02);  // the mean of its spreads over the root of 4
  for (const KernelShape& shape :
       {KernelShape{.m = 1, .n = 64, .k = 64}, KernelShape{.m = 5000, .n = 8192, .k = 8192}})
    for (const std::size_t i : {0, 1})
      EXPECT_NEAR(OperatorModel(off.operators[i])(shape).seconds / OperatorModel(exact.operators[i])(shape).seconds,
                  factor, 1e-12);
  EXPECT_EQ(off.operators[2].law.launch_s, 0);
  EXPECT_EQ(drawn(exact, 1, 7).operators[0].law.launch_s, off.operators[0].law.launch_s);
  EXPECT_NE(drawn(exact, 1, 8).operators[0].law.launch_s, off.operators[0].law.launch_s);
}

}  // namespace servecast::engine_profile_test
