// Rules of SGLang's and TensorRT-LLM's schedulers and of windowed layers on a replica, by hand: every step takes one
// second.
#include <gtest/gtest.h>

#include "tests/unit/serving/fixture.h"

namespace servecast::engine_rules_test {

Request request(std::uint32_t id, double arrival_s, std::int64_t prompt, std::int64_t output) {
  return {.id = RequestId{id}, .arrival_s = arrival_s, .prompt_tokens = prompt, .output_tokens = output};
}

Listener serve_with(const ReplicaLimits& limits, const std::vector<Request>& requests) {
  const LinearLatency latency(1);
  Replica replica = make_replica(latency, limits);
  const std::int64_t free_blocks = replica.core().cache().free_blocks();
  Listener heard;
  serve(replica, requests, heard);
  EXPECT_EQ(replica.core().cache().free_blocks(), free_blocks);
  return heard;
}

// Two groups, one of which has a window of 16 tokens: 2 blocks of 16 at most. A prompt of 10 tokens holds 1 + 1
// blocks, from its 17th token on 2 + 2, from its 33rd on 3 + 2. It holds 10 tokens after step 0 and one more with
// every step: 17 in step 7, 33 in step 23.
TEST(WindowedLayers, GrowToTheWindowAndNoFurther) {
  const Listener heard = serve_with({.blocks = 100, .groups = {.groups = 2, .windowed = 1, .window_tokens = 16}},
                                    {request(0, 0, 10, 40)});
  EXPECT_EQ(heard.steps.at(6).used_blocks, 2);
  EXPECT_EQ(heard.steps.at(7).used_blocks, 4);
  EXPECT_EQ(heard.steps.at(22).used_blocks, 4);
  EXPECT_EQ(heard.steps.at(23).used_blocks, 5);
  EXPECT_EQ(heard.steps.at(39).used_blocks, 6);
}

ReplicaLimits sglang(std::map<std::string, double> settings, std::int64_t blocks = 10'000) {
  settings["overlap_schedule"] = 0;
  return {.block_tokens = 1, .blocks = blocks, .batcher = "sglang", .batcher_settings = std::move(settings)};
}

// Request 1 comes while request 0 decodes. Its 25 tokens take steps of 10, 10 and 5, in which request 0 stalls; each
// step takes a second, and it came during step 1.
TEST(Sglang, PromptsStallDecodes) {
  const Listener heard =
      serve_with(sglang({{"chunked_prefill_size", 10}}), {request(0, 0, 10, 5), request(1, 1.5, 25, 2)});
  EXPECT_EQ(heard.steps.at(1).decode_sequences, 1);
  for (const std::size_t step : {2, 3, 4}) EXPECT_EQ(heard.steps.at(step).decode_sequences, 0) << step;
  EXPECT_EQ(heard.steps.at(4).prefill_tokens, 5);
  EXPECT_EQ(heard.steps.at(5).decode_sequences, 2);
  EXPECT_EQ(heard.done.at(RequestId{1}).first_token_s, 5);
}

// Request 0 decodes from step 1 on, after the look behind its prompt; the next look is before the fourth of its
// decodes, step 4, and finds both that have come since 1.5. Their prompts take one step together.
TEST(Sglang, LooksForRequestsAfterSoManyDecodes) {
  const std::vector<Request> requests{request(0, 0, 10, 9), request(1, 1.5, 5, 2), request(2, 2.5, 5, 2)};
  const Listener heard = serve_with(sglang({{"scheduler_recv_interval", 3}}), requests);
  for (const std::size_t step : {1, 2, 3}) EXPECT_EQ(heard.steps.at(step).decode_sequences, 1) << step;
  EXPECT_EQ(heard.steps.at(4).prefill_tokens, 10);
  EXPECT_EQ(serve_with(sglang({}), requests).steps.at(2).prefill_tokens, 5);
}

// A look every 3 decodes, whether or not anything waits: before the decodes of steps 1, 4 and 7. What comes in step 4
// is seen before step 7.
TEST(Sglang, LooksAlsoWhereNothingWaits) {
  const Listener heard =
      serve_with(sglang({{"scheduler_recv_interval", 3}}), {request(0, 0, 10, 20), request(1, 4.5, 5, 2)});
  EXPECT_EQ(heard.done.at(RequestId{1}).scheduled_s, 7);
}

// The same with decodes in the steps of prompts, which leave 9 tokens each for the prompt: 9, 9 and 7.
TEST(Sglang, MixedChunksDoNot) {
  const Listener heard = serve_with(sglang({{"chunked_prefill_size", 10}, {"enable_mixed_chunk", 1}}),
                                    {request(0, 0, 10, 9), request(1, 1.5, 25, 2)});
  for (const std::size_t step : {2, 3, 4}) EXPECT_EQ(heard.steps.at(step).decode_sequences, 1) << step;
  EXPECT_EQ(heard.steps.at(3).prefill_tokens, 9);
  EXPECT_EQ(heard.done.at(RequestId{1}).first_token_s, 5);
}

// 150 tokens of memory. At 2, request 0 holds 21 tokens and has 98 to make, of which 0.7 - 0.001 are kept free (600
// steps from 0.7 to 0.098): 150 - 21 - 68.5 = 60.5 tokens for request 1, which wants 30 + 20 + 1. With
// conservativeness 1.4 the ratio is 0.979: 33 tokens.
TEST(Sglang, KeepsRoomForAShareOfTheOutputs) {
  const std::vector<Request> requests{request(0, 0, 20, 100), request(1, 1.5, 30, 20)};
  EXPECT_EQ(serve_with(sglang({}, 150), requests).done.at(RequestId{1}).scheduled_s, 2);
  const Listener heard = serve_with(sglang({{"schedule_conservativeness", 1.4}}, 150), requests);
  EXPECT_GT(heard.done.at(RequestId{1}).scheduled_s, 2);
}

// Both are admitted, since only 0.7 x 3 of the outputs are kept free each at first, and run out of memory: the one
// with fewer outputs is retracted, computed again, and all end.
TEST(Sglang, RetractsTheSequenceWithTheFewestOutputs) {
  const Listener heard =
      serve_with(sglang({{"clip_max_new_tokens", 3}}, 60), {request(0, 0, 10, 40), request(1, 4.5, 10, 30)});
  EXPECT_EQ(heard.done.at(RequestId{0}).preemptions, 0);
  EXPECT_GT(heard.done.at(RequestId{1}).preemptions, 0);
  EXPECT_EQ(heard.done.at(RequestId{1}).output_tokens, 30);
}

// 8 blocks of 16 tokens. Request 0 needs 10 + 50 tokens: while it runs, 60 of 128 are not free for others. Request 1
// of 20 + 60 does not fit beside it and waits under GUARANTEED_NO_EVICT; under MAX_UTILIZATION it starts at once.
TEST(Trtllm, CapacitySchedulersKeepOutputsFreeOrNot) {
  const std::vector<Request> requests{request(0, 0, 10, 50), request(1, 0, 20, 60)};
  const auto scheduled_s = [&](const std::string& policy) {
    const ReplicaLimits limits{
        .blocks = 8, .batcher = "trtllm", .batcher_texts = {{"capacity_scheduler_policy", policy}}};
    return serve_with(limits, requests).done.at(RequestId{1}).scheduled_s;
  };
  EXPECT_EQ(scheduled_s("max_utilization"), 0);
  EXPECT_EQ(scheduled_s("guaranteed_no_evict"), 50);
  EXPECT_EQ(scheduled_s("static_batch"), 50);
}

// 100 tokens a step. Request 1 comes in step 1, beside one decode, and waits 4 steps, 2 to 5, or until prompts and
// decodes are half of a step's tokens: with request 2 of 40 tokens, which comes in step 3, they are 10 + 40 + 1.
TEST(Trtllm, PromptsWaitForCompany) {
  const auto scheduled_s = [&](double second_s) {
    const ReplicaLimits limits{
        .budget = 100,
        .batcher = "trtllm",
        .batcher_settings = {
            {"max_num_tokens", 100}, {"batch_wait_timeout_iters", 4}, {"batch_wait_max_tokens_ratio", 0.5}}};
    return serve_with(limits, {request(0, 0, 10, 30), request(1, 1.5, 10, 5), request(2, second_s, 40, 5)})
        .done.at(RequestId{1})
        .scheduled_s;
  };
  EXPECT_EQ(scheduled_s(20), 6);
  EXPECT_EQ(scheduled_s(3.5), 4);
}

// Two ranks, each with a decode from step 0 on. Request 2 comes in step 1 and waits for a prompt on the other rank:
// request 3 brings it in step 3, so that both start in step 4, or 2 steps later where they wait that long for more.
// Without request 3 it waits for the eighth step of decodes, the timeout; once a decode has ended, no longer.
TEST(Trtllm, PromptsOfAllRanksStartTogether) {
  const auto scheduled_s = [&](double other_s, double batching_wait, std::int64_t output) {
    const ReplicaLimits limits{.batcher = "trtllm",
                               .batcher_settings = {{"attention_dp_enable_balance", 1},
                                                    {"attention_dp_timeout_iters", 8},
                                                    {"attention_dp_batching_wait_iters", batching_wait}},
                               .ranks = 2};
    return serve_with(limits, {request(0, 0, 10, 40), request(1, 0, 10, output), request(2, 1.5, 10, 5),
                               request(3, other_s, 10, 5)})
        .done.at(RequestId{2})
        .scheduled_s;
  };
  EXPECT_EQ(scheduled_s(3.5, 0, 40), 4);
  EXPECT_EQ(scheduled_s(3.5, 2, 40), 6);
  EXPECT_EQ(scheduled_s(30, 2, 40), 8);
  EXPECT_EQ(scheduled_s(30, 2, 5), 5);
}

}  // namespace servecast::engine_rules_test
