// Batchers, caches and queues on a replica, times worked out by hand: every step takes one second.
#include <gtest/gtest.h>

#include "tests/unit/serving/fixture.h"

namespace servecast::batchers_test {

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
  EXPECT_EQ(replica.view().running_requests, 0);
  EXPECT_EQ(replica.view().waiting_requests, 0);
  EXPECT_EQ(replica.view().waiting_tokens, 0);
  EXPECT_EQ(replica.next_due_s(), Replica::infinity);
  return heard;
}

// Both prompts are padded to 10. Request 1 has its only token at 1, is padding while request 0 makes tokens 2
// and 3, and both answers come at 3. Request 2 starts then.
TEST(Static, WaitsForTheLongestAndPadsThePrompts) {
  const Listener heard =
      serve_with({.batcher = "static"}, {request(0, 0, 10, 3), request(1, 0, 4, 1), request(2, 0.5, 6, 2)});
  EXPECT_EQ(heard.steps.at(0).prefill_tokens, 20);
  EXPECT_EQ(heard.steps.at(1).decode_sequences, 2);
  EXPECT_EQ(heard.steps.at(1).emitted_tokens, 1);
  for (const std::uint32_t id : {0u, 1u}) {
    EXPECT_EQ(heard.done.at(RequestId{id}).first_token_s, 3) << id;
    EXPECT_EQ(heard.done.at(RequestId{id}).finish_s, 3) << id;
  }
  EXPECT_EQ(heard.done.at(RequestId{1}).output_tokens, 1);
  EXPECT_EQ(heard.done.at(RequestId{2}).scheduled_s, 3);
  EXPECT_EQ(heard.done.at(RequestId{2}).finish_s, 5);
}

// The same without padding, and answers as they are ready; but request 1 keeps its block until 3.
TEST(FasterTransformer, KeepsMemoryAndPlacesUntilTheBatchIsDone) {
  const Listener heard = serve_with({.batcher = "fastertransformer"},
                                    {request(0, 0, 10, 3), request(1, 0, 4, 1), request(2, 0.5, 6, 2)});
  EXPECT_EQ(heard.steps.at(0).prefill_tokens, 14);
  EXPECT_EQ(heard.steps.at(1).decode_sequences, 1);
  EXPECT_EQ(heard.steps.at(1).used_blocks, 2);
  EXPECT_EQ(heard.done.at(RequestId{1}).finish_s, 1);
  EXPECT_EQ(heard.done.at(RequestId{0}).first_token_s, 1);
  EXPECT_EQ(heard.done.at(RequestId{0}).finish_s, 3);
  EXPECT_EQ(heard.done.at(RequestId{2}).scheduled_s, 3);
}

// 8 blocks of 16 tokens, 64 tokens reserved for each: two fit. Request 2 joins at 3, when request 1 has made its
// third token, in one step with the decode of request 0.
TEST(Orca, JoinsPromptsToDecodesAsReservationsAllow) {
  const Listener heard = serve_with(
      {.blocks = 8, .batcher = "orca", .kv_cache = "contiguous_max", .kv_cache_settings = {{"max_tokens", 64}}},
      {request(0, 0, 10, 5), request(1, 0, 20, 3), request(2, 0, 5, 2)});
  EXPECT_EQ(heard.steps.at(0).prefill_tokens, 30);
  EXPECT_EQ(heard.steps.at(0).used_blocks, 8);
  EXPECT_EQ(heard.steps.at(3).decode_sequences, 1);
  EXPECT_EQ(heard.steps.at(3).prefill_tokens, 5);
  EXPECT_EQ(heard.done.at(RequestId{0}).finish_s, 5);
  EXPECT_EQ(heard.done.at(RequestId{1}).finish_s, 3);
  EXPECT_EQ(heard.done.at(RequestId{2}).first_token_s, 4);
}

TEST(ContiguousMax, RejectsWhatIsLongerThanItReserves) {
  const Listener heard =
      serve_with({.kv_cache = "contiguous_max", .kv_cache_settings = {{"max_tokens", 64}}}, {request(0, 0, 60, 6)});
  EXPECT_EQ(heard.done.at(RequestId{0}).status, RequestStatus::rejected);  // holds 65 tokens in the end
}

// 8 blocks of 16 tokens, 32 tokens a step. Request 0 holds 4 when its prompt is computed at 2, and request 1 wants 5
// of the 4 that are free: by its first chunk alone it is admitted then, and preempted when the rest does not fit; by
// all of its prompt it waits until request 0 has finished at 11.
TEST(VllmV1, AdmitsWhereTheWholePromptFits) {
  for (const bool whole : {true, false}) {
    const Listener heard =
        serve_with({.budget = 32, .blocks = 8, .batcher_settings = {{"scheduler_reserve_full_isl", whole}}},
                   {request(0, 0, 64, 10), request(1, 0, 80, 1)});
    EXPECT_EQ(heard.done.at(RequestId{1}).scheduled_s, whole ? 11 : 2);
    EXPECT_EQ(heard.done.at(RequestId{1}).preemptions > 0, !whole);
  }
}

// A prompt arrives during every step. Request 0 pauses for two of them, and decodes along with the third.
TEST(SplitwiseMixed, DecodesPauseForAtMostSoManySteps) {
  const Listener heard = serve_with({.batcher = "splitwise_mixed", .batcher_settings = {{"max_pauses", 2}}},
                                    {request(0, 0, 10, 10), request(1, 0.5, 10, 1), request(2, 1.5, 10, 1),
                                     request(3, 2.5, 10, 1), request(4, 3.5, 10, 1)});
  const std::vector<std::int64_t> decodes{0, 0, 0, 1, 0, 1};
  const std::vector<std::int64_t> prompts{10, 10, 10, 10, 10, 0};
  for (std::size_t i = 0; i < decodes.size(); ++i) {
    EXPECT_EQ(heard.steps.at(i).decode_sequences, decodes[i]) << i;
    EXPECT_EQ(heard.steps.at(i).prefill_tokens, prompts[i]) << i;
  }
}

// 3 blocks of 4 tokens. At 1 both want a second block and one is free: request 1 is copied out (0.25 s) and comes
// back (0.5 s) when request 0 has finished at 1 + 1.25 + 4 = 6.25. Its second token is out at 6.25 + 1.5 = 7.75.
TEST(Swap, CopiesBlocksOutAndBackInsteadOfComputingAgain) {
  const Listener heard =
      serve_with({.block_tokens = 4,
                  .blocks = 3,
                  .swap = {.blocks = 8, .block = {.bytes = 1}, .out = {.bytes_per_s = 4}, .in = {.bytes_per_s = 2}}},
                 {request(0, 0, 4, 6), request(1, 0, 4, 6)});
  EXPECT_EQ(heard.done.at(RequestId{0}).finish_s, 6.25);
  EXPECT_EQ(heard.done.at(RequestId{1}).preemptions, 1u);
  EXPECT_EQ(heard.done.at(RequestId{1}).finish_s, 11.75);
  std::int64_t prompt_tokens = 0;
  for (const StepRecord& step : heard.steps) prompt_tokens += step.prefill_tokens;
  EXPECT_EQ(prompt_tokens, 8);
  EXPECT_NE(std::ranges::find(heard.gaps, std::pair<double, std::int64_t>{6.75, 1}), heard.gaps.end());
}

// The same with no room on the host: the prompt and its first token are computed again, 5 tokens at 6.
TEST(Swap, RecomputesWhereTheHostIsFull) {
  const Listener heard = serve_with({.block_tokens = 4, .blocks = 3}, {request(0, 0, 4, 6), request(1, 0, 4, 6)});
  EXPECT_EQ(heard.done.at(RequestId{0}).finish_s, 6);
  EXPECT_EQ(heard.steps.at(6).prefill_tokens, 5);
  EXPECT_EQ(heard.done.at(RequestId{1}).finish_s, 11);
}

// Request 0 came first but is less urgent: when request 1 wants a second block at 2, request 0 makes room.
TEST(PriorityQueue, PreemptsTheLeastUrgent) {
  std::vector<Request> requests{request(0, 0, 4, 6), request(1, 0.5, 4, 3)};
  requests[0].priority = 1;
  const ReplicaLimits scarce{.block_tokens = 4, .blocks = 3};
  ReplicaLimits with_priorities = scarce;
  with_priorities.queue = "priority";
  EXPECT_EQ(serve_with(scarce, requests).done.at(RequestId{1}).preemptions, 1u);
  const Listener heard = serve_with(with_priorities, requests);
  EXPECT_EQ(heard.done.at(RequestId{0}).preemptions, 1u);
  EXPECT_EQ(heard.done.at(RequestId{1}).preemptions, 0u);
}

TEST(PriorityQueue, AdmitsTheMostUrgentFirst) {
  std::vector<Request> requests;
  for (std::uint32_t i = 0; i < 4; ++i) {
    requests.push_back(request(i, 0, 10, 2));
    requests.back().priority = static_cast<std::int32_t>(4 - i);
  }
  const Listener heard = serve_with({.max_num_seqs = 1, .queue = "priority"}, requests);
  for (std::uint32_t i = 0; i < 4; ++i) EXPECT_EQ(heard.done.at(RequestId{i}).scheduled_s, 2 * (3 - i));
}

// Two clients each want the server for themselves: while both wait, what they got differs by at most twice the larger
// of a prompt and of what all that run can get (Sheng et al., OSDI 2024, theorem 4.4): 2 x 2 x 4 x 70 = 1,120.
TEST(FairShareQueue, SharesBetweenClientsWhateverTheyAskFor) {
  std::vector<Request> requests;
  for (std::uint32_t i = 0; i < 120; ++i) {
    requests.push_back(request(i, i < 80 ? 0 : 0.5, 50, 20));
    requests.back().client = ClientId{i < 80 ? 1u : 2u};
  }
  const auto most_apart = [&](const std::string& queue) {
    const Listener heard = serve_with({.max_num_seqs = 4, .queue = queue}, requests);
    double first_ends_s = Replica::infinity;  // of the clients whose last request has been admitted
    for (const std::uint32_t last : {79u, 119u})
      first_ends_s = std::min(first_ends_s, *heard.done.at(RequestId{last}).scheduled_s);
    double most = 0;
    for (const StepRecord& step : heard.steps) {
      if (step.end_s > first_ends_s) break;
      double apart = 0;
      for (const auto& [id, r] : heard.done)
        if (*r.finish_s <= step.end_s) apart += index(id) < 80 ? 90 : -90;  // 50 + 2 x 20
      most = std::max(most, std::abs(apart));
    }
    return most;
  };
  EXPECT_LE(most_apart("fair_share"), 1'120);
  EXPECT_GT(most_apart("fcfs"), 3'000);
}

// Steps of a second. Request 0 has tokens 1 to 3 when its client gives up at 3.5; the step under way ends at 4 with a
// token in vain, and request 1 has its place. Request 2 gave up in the queue.
TEST(TimeOut, FreesThePlaceWhenTheNextBatchIsFilled) {
  std::vector<Request> requests{request(0, 0, 10, 100), request(1, 0.25, 10, 2), request(2, 0.25, 10, 2)};
  requests[0].give_up_s = 3.5;
  requests[2].give_up_s = 2;
  const Listener heard = serve_with({.max_num_seqs = 1}, requests);
  EXPECT_EQ(heard.done.at(RequestId{0}).status, RequestStatus::timed_out);
  EXPECT_EQ(heard.done.at(RequestId{0}).output_tokens, 3);
  EXPECT_EQ(heard.done.at(RequestId{1}).scheduled_s, 4);
  EXPECT_EQ(heard.done.at(RequestId{2}).status, RequestStatus::timed_out);
  EXPECT_FALSE(heard.done.at(RequestId{2}).scheduled_s);
  EXPECT_EQ(heard.waited_s, 0.0 + 3.75 + 1.75);
  EXPECT_EQ(heard.ran_s, 3.5 + 2);
}

TEST(TimeOut, DoesNotReachWhoIsServedInTime) {
  Request r = request(0, 0, 10, 3);
  r.give_up_s = 3;  // the last token is out at 3
  EXPECT_EQ(serve_with({}, {r}).done.at(RequestId{0}).status, RequestStatus::completed);
}

// 20 tokens of prompt: 2 blocks of 16. With token 21, three samples share the first and have a second each.
TEST(Samples, ShareWholeBlocksOfThePromptAndCopyTheLast) {
  Request r = request(0, 0, 20, 4);
  r.samples = 3;
  const Listener heard = serve_with({}, {r});
  EXPECT_EQ(heard.steps.at(0).used_blocks, 2);
  EXPECT_EQ(heard.steps.at(0).emitted_tokens, 3);
  EXPECT_EQ(heard.steps.at(1).used_blocks, 4);
  EXPECT_EQ(heard.steps.at(1).decode_sequences, 3);
  EXPECT_EQ(heard.done.at(RequestId{0}).finish_s, 4);
  EXPECT_EQ(heard.done.at(RequestId{0}).output_tokens, 4);
}

TEST(Samples, TakeAsManyPlaces) {
  std::vector<Request> requests{request(0, 0, 20, 4), request(1, 0, 20, 4), request(2, 0, 20, 4)};
  requests[0].samples = requests[1].samples = 3;
  const Listener heard = serve_with({.max_num_seqs = 4}, requests);
  EXPECT_EQ(heard.done.at(RequestId{1}).scheduled_s, 4);
  EXPECT_EQ(heard.done.at(RequestId{2}).scheduled_s, 4);
}

// Beams of 4 forget how they differed after 2 x 3 tokens: with prompt 32 and token 40, 34 tokens are common, 2 whole
// blocks; each beam has the third block for itself.
TEST(Beams, ShareAgainWhatTheyHaveInCommon) {
  Request r = request(0, 0, 32, 40);
  r.beam_width = 4;
  const Listener heard = serve_with({}, {r});
  EXPECT_EQ(heard.steps.at(8).used_blocks, 2 + 4);       // 40 tokens
  EXPECT_EQ(heard.steps.at(20).used_blocks, 2 + 4 * 2);  // 52 tokens, 46 common: blocks 3 and 4 of each
  EXPECT_EQ(heard.steps.at(22).used_blocks, 3 + 4);      // 54 tokens, 48 common: block 3 is one again
}

// Swapped-out groups come back as they were.
TEST(Beams, SurvivePreemption) {
  for (const std::int64_t host_blocks : {0, 100}) {
    std::vector<Request> requests{request(0, 0, 30, 60), request(1, 0, 30, 60)};
    requests[0].samples = 2;
    requests[1].beam_width = 3;
    const Listener heard = serve_with(
        {.blocks = 16,
         .swap = {.blocks = host_blocks, .block = {.bytes = 1}, .out = {.bytes_per_s = 4}, .in = {.bytes_per_s = 4}}},
        requests);
    EXPECT_GT(heard.done.at(RequestId{1}).preemptions, 0u);
    EXPECT_EQ(heard.done.at(RequestId{1}).output_tokens, 60);
  }
}

}  // namespace servecast::batchers_test
