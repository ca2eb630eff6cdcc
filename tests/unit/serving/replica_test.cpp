#include "sim/serving/replica/replica.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "models/base/rng.h"
#include "tests/unit/serving/fixture.h"
#include "tests/unit/serving/naive_server.h"

namespace servecast::replica_test {

Request request(std::uint32_t id, double arrival_s, std::int64_t prompt, std::int64_t output) {
  return {.id = RequestId{id}, .arrival_s = arrival_s, .prompt_tokens = prompt, .output_tokens = output};
}

// One request, steps of 0.5 s: the prompt of 100 tokens takes one step and gives token 1, tokens 2 and 3 one each.
TEST(Replica, ServesOneRequest) {
  const LinearLatency latency(0.5);
  Replica replica = make_replica(latency, {});
  Listener heard;
  serve(replica, {request(0, 2, 100, 3)}, heard);
  const RequestRecord& r = heard.done.at(RequestId{0});
  EXPECT_EQ(r.status, RequestStatus::completed);
  EXPECT_EQ(r.scheduled_s, 2);
  EXPECT_EQ(r.first_token_s, 2.5);
  EXPECT_EQ(r.finish_s, 3.5);
  EXPECT_EQ(r.output_tokens, 3);
  EXPECT_EQ(heard.steps.size(), 3u);
  EXPECT_EQ(replica.core().totals.busy_s, 1.5);
  // 100 tokens: 7 blocks of 16, during all three steps (tokens 101 and 102 fit)
  EXPECT_EQ(replica.core().totals.kv_block_s, 7 * 1.5);
  EXPECT_EQ(replica.next_due_s(), Replica::infinity);
}

// A prompt of 250 in chunks of 100: the second request's decode (admitted first) takes 1 of each step's budget.
TEST(Replica, SplitsAPromptByTheBudgetLeftOver) {
  const LinearLatency latency(1);
  Replica replica = make_replica(latency, {.budget = 100});
  Listener heard;
  serve(replica, {request(0, 0, 10, 50), request(1, 0.5, 250, 1)}, heard);
  // [0,1): prompt 0. [1,2): 1 + 99, [2,3): 1 + 99, [3,4): 1 + 52.
  EXPECT_EQ(heard.steps.at(1).prefill_tokens, 99);
  EXPECT_EQ(heard.steps.at(3).prefill_tokens, 52);
  EXPECT_EQ(heard.done.at(RequestId{1}).first_token_s, 4);
  EXPECT_EQ(heard.done.at(RequestId{1}).finish_s, 4);
  EXPECT_EQ(heard.members.at(3).size(), 2u);
}

// Steps of 1/4 s, arrivals on their boundaries: a request that arrives when a step ends joins the next one, not the
// one after.
TEST(Replica, AnArrivalOnAStepBoundaryJoinsTheStepThatStarts) {
  const LinearLatency latency(0.25);
  Replica replica = make_replica(latency, {});
  Listener heard;
  serve(replica, {request(0, 0, 10, 10), request(1, 0.5, 10, 2), request(2, 0.5, 10, 2)}, heard);
  EXPECT_EQ(heard.done.at(RequestId{1}).scheduled_s, 0.5);
  EXPECT_EQ(heard.done.at(RequestId{2}).first_token_s, 0.75);
}

// Two requests of 8 + 8 tokens, blocks of 4, 6 blocks: both start with 2; at 12 tokens each (3 blocks) all are taken,
// so the one admitted last is thrown out when both want their 4th, and is recomputed after the first is done.
TEST(Replica, PreemptsTheLastAndRecomputesIt) {
  const LinearLatency latency(1);
  Replica replica = make_replica(latency, {.budget = 64, .max_num_seqs = 8, .block_tokens = 4, .blocks = 6});
  Listener heard;
  serve(replica, {request(0, 0, 8, 9), request(1, 0, 8, 9)}, heard);
  const RequestRecord& first = heard.done.at(RequestId{0});
  const RequestRecord& second = heard.done.at(RequestId{1});
  EXPECT_EQ(first.preemptions, 0u);
  EXPECT_EQ(first.finish_s, 9);  // 1 prefill + 8 decodes, never held up
  // Step 6 (from 5 s) wants a 4th block for both: request 1 goes with 5 tokens made. In that step none is admitted;
  // then its 13 tokens need 4 blocks but only 2 are free until 9 s. [9,10) recomputes and gives token 6, 7..9 by 13
  // s.
  EXPECT_EQ(second.preemptions, 1u);
  EXPECT_EQ(second.first_token_s, 1);
  EXPECT_EQ(second.finish_s, 13);
  EXPECT_EQ(replica.core().cache().free_blocks(), 6);
  // Every output token but the first of each request has a gap; the preempted one waited from 5 s to 10 s for one.
  std::int64_t gaps = 0;
  double longest_s = 0;
  for (const auto& [gap_s, count] : heard.gaps) {
    gaps += count;
    longest_s = std::max(longest_s, gap_s);
  }
  EXPECT_EQ(gaps, 16);
  EXPECT_EQ(longest_s, 5);
}

TEST(Replica, RejectsWhatCanNeverFit) {
  const LinearLatency latency(1);
  Replica replica = make_replica(latency, {.block_tokens = 4, .blocks = 5});
  Listener heard;
  EXPECT_FALSE(replica.enqueue(request(0, 0, 18, 4), 0, heard));  // 21 tokens held at the end: 6 blocks
  EXPECT_TRUE(replica.enqueue(request(1, 0, 18, 3), 0, heard));   // 20 tokens: 5 blocks
  EXPECT_EQ(heard.done.at(RequestId{0}).status, RequestStatus::rejected);
  replica.advance(Replica::infinity, heard);
  EXPECT_EQ(heard.done.at(RequestId{1}).status, RequestStatus::completed);
}

TEST(Replica, WaitsUntilItsWeightsAreThere) {
  const LinearLatency latency(1);
  Replica replica = make_replica(latency, {});
  replica.set_not_ready();
  Listener heard;
  replica.enqueue(request(0, 1, 10, 1), 1, heard);
  replica.advance(5, heard);
  EXPECT_EQ(replica.view().waiting_requests, 1);
  replica.set_ready(5);
  replica.advance(Replica::infinity, heard);
  EXPECT_EQ(heard.done.at(RequestId{0}).finish_s, 6);
}

// Two stages of 1 s. Request 0 alone: 2 s a step. Request 1 arrives at 0.5 s and gets a lane of its own: its batch
// enters stage 0 when request 0's leaves it, at 1 s, and ends at 3 s.
TEST(Replica, PipelineStagesWorkOnDifferentBatches) {
  const LinearLatency latency(2, 0, 0, 2);
  Replica replica = make_replica(latency, {});
  Listener heard;
  serve(replica, {request(0, 0, 10, 2), request(1, 0.5, 10, 2)}, heard);
  EXPECT_EQ(heard.done.at(RequestId{0}).first_token_s, 2);
  EXPECT_EQ(heard.done.at(RequestId{1}).first_token_s, 3);
  EXPECT_EQ(heard.done.at(RequestId{0}).finish_s, 4);
  EXPECT_EQ(heard.done.at(RequestId{1}).finish_s, 5);
  EXPECT_EQ(replica.core().totals.busy_s, 4);  // 4 batches, each 1 s on each of 2 stages, averaged over the stages
}

TEST(Replica, CutOffInTheMiddleTellsWhatWasMade) {
  const LinearLatency latency(1);
  Replica replica = make_replica(latency, {.max_num_seqs = 1});
  Listener heard;
  replica.enqueue(request(0, 0, 10, 10), 0, heard);
  replica.enqueue(request(1, 0, 10, 10), 0, heard);
  replica.advance(3.5, heard);
  replica.abandon(3.5, heard);
  EXPECT_EQ(heard.done.at(RequestId{0}).status, RequestStatus::unfinished);
  EXPECT_EQ(heard.done.at(RequestId{0}).output_tokens, 3);
  EXPECT_EQ(heard.done.at(RequestId{1}).output_tokens, 0);
  EXPECT_EQ(heard.ran_s, 3.5);
  EXPECT_EQ(heard.waited_s, 3.5);
}

// Its client gives up while its last token is being made and nothing else runs: the next request stands in its
// place.
TEST(Replica, WhoComesAfterAClientThatGaveUpAtTheEndIsServed) {
  const LinearLatency latency(1);
  Replica replica = make_replica(latency, {});
  Listener heard;
  Request first = request(0, 0, 10, 1);
  first.give_up_s = 0.5;
  replica.enqueue(first, 0, heard);
  replica.advance(2, heard);
  replica.enqueue(request(1, 2, 10, 3), 2, heard);
  replica.advance(Replica::infinity, heard);
  EXPECT_EQ(heard.done.at(RequestId{0}).status, RequestStatus::timed_out);
  EXPECT_EQ(heard.done.at(RequestId{1}).finish_s, 5);
  EXPECT_EQ(replica.core().cache().used_blocks(), 0);
}

// Random loads, half of them with arrivals exactly on step boundaries, KV from scarce to plenty: the lazy books give
// the same times, bit for bit, as walking every sequence in every step.
class ReplicaAgainstNaive : public testing::TestWithParam<int> {};
/// Every fifth load has windowed layers: two groups of three, a window of a few tokens. Every fifth has layers that
/// attend within chunks of a few blocks.
KvGroups groups_of(int load, std::int64_t block_tokens) {
  if (load % 5 == 1)
    return {.groups = 3, .windowed = 2, .window_tokens = block_tokens * (1 + load % 7), .chunked = true};
  if (load % 5 != 3) return {};
  return {.groups = 3, .windowed = 2, .window_tokens = 4 + load};
}

INSTANTIATE_TEST_SUITE_P(Loads, ReplicaAgainstNaive, testing::Range(0, 120));

TEST_P(ReplicaAgainstNaive, SameTimesBitForBit) {
  Rng rng(static_cast<std::uint64_t>(GetParam()), "load");
  const bool ties = GetParam() % 2 == 0;
  const std::size_t depth = GetParam() % 4 < 2 ? 1 : 2;
  NaiveServer naive{.budget = 8 + static_cast<std::int64_t>(rng.below(64)),
                    .max_num_seqs = 1 + static_cast<std::int64_t>(rng.below(8)),
                    .block_tokens = 1 + static_cast<std::int64_t>(rng.below(8)),
                    .blocks = 60 + static_cast<std::int64_t>(rng.below(200)),
                    .depth = depth,
                    .whole_fits = GetParam() % 7 < 4,
                    .window = GetParam() % 5 == 4 ? 20 + static_cast<std::int64_t>(rng.below(60)) : 0,
                    .chunk = GetParam() % 3 == 0 ? 17 : 0};
  naive.groups = groups_of(GetParam(), naive.block_tokens);
  if (naive.window > 0) naive.chunk = 0;
  naive.blocks -= naive.blocks % naive.groups.groups;
  const std::int64_t most = naive.blocks / naive.groups.groups * naive.block_tokens;
  std::vector<Request> requests;
  double at_s = 0;
  for (std::uint32_t i = 0; i < 400; ++i) {
    at_s += ties ? static_cast<double>(rng.below(40)) / 64 : rng.exponential(0.3);
    const std::int64_t prompt =
        1 + static_cast<std::int64_t>(rng.below(static_cast<std::uint64_t>(std::min<std::int64_t>(most / 2, 150))));
    const std::int64_t output =
        1 +
        static_cast<std::int64_t>(rng.below(static_cast<std::uint64_t>(std::min<std::int64_t>(most - prompt, 60))));
    requests.push_back(request(i, at_s, prompt, output));
  }
  const LinearLatency latency(1.0 / 32, ties ? 0 : 1e-3, ties ? 0 : 1e-5);
  ReplicaLimits limits{.budget = naive.budget,
                       .max_num_seqs = naive.max_num_seqs,
                       .block_tokens = naive.block_tokens,
                       .blocks = naive.blocks / naive.groups.groups,
                       .async_scheduling = depth == 2,
                       .groups = naive.groups,
                       .attention_chunk = naive.chunk};
  limits.batcher_settings["scheduler_reserve_full_isl"] = naive.whole_fits;
  if (naive.window > 0) {
    limits.kv_cache = "window";
    limits.kv_cache_settings = {{"sink_tokens", 4}, {"window_tokens", static_cast<double>(naive.window - 4)}};
  }
  Replica replica = make_replica(latency, limits);
  Listener heard;
  serve(replica, requests, heard);
  const std::vector<NaiveServer::Times> expected = NaiveServer(naive).serve(requests, latency);
  std::int64_t gaps = 0;
  for (const auto& [gap_s, count] : heard.gaps) gaps += count;
  std::int64_t tokens = 0;
  for (const Request& r : requests) {
    const RequestRecord& record = heard.done.at(r.id);
    const NaiveServer::Times times{record.scheduled_s.value(), record.first_token_s.value(), record.finish_s.value(),
                                   static_cast<int>(record.preemptions)};
    ASSERT_EQ(times, expected[index(r.id)]) << "request " << index(r.id);
    tokens += r.output_tokens;
  }
  EXPECT_EQ(replica.core().cache().free_blocks(), naive.blocks);
  EXPECT_EQ(gaps, tokens - 400) << "one gap for every output token after the first";
  for (const StepRecord& step : heard.steps) {
    EXPECT_LE(step.used_blocks, naive.blocks);
    EXPECT_LE(step.decode_sequences + step.prefill_tokens, std::max(naive.budget, naive.max_num_seqs));
  }
}

// A run that waits for a finish may sleep until next_awaited_s(): nothing awaited finishes before it.
TEST(Replica, NothingAwaitedFinishesBeforeItSays) {
  Rng rng(11, "awaited");
  const LinearLatency latency(0.01, 1e-4, 1e-6);
  Replica replica = make_replica(latency, {.max_num_seqs = 6, .block_tokens = 4, .blocks = 120});
  Listener heard;
  std::set<RequestId> awaited;
  const auto awaited_done = [&] {
    return std::ranges::count_if(awaited, [&](RequestId id) { return heard.done.contains(id); });
  };
  double at_s = 0;
  for (std::uint32_t i = 0; i < 300; ++i) {
    Request r =
        request(i, at_s, 1 + static_cast<std::int64_t>(rng.below(50)), 1 + static_cast<std::int64_t>(rng.below(40)));
    r.awaited = rng.uniform() < 0.5;
    if (r.awaited) awaited.insert(r.id);
    replica.enqueue(r, at_s, heard);
    const double arrival_s = at_s + rng.exponential(0.2);
    for (double wake_s = replica.next_awaited_s(); wake_s <= arrival_s; wake_s = replica.next_awaited_s()) {
      const auto before = awaited_done();
      replica.advance(std::nextafter(wake_s, 0), heard);
      ASSERT_EQ(awaited_done(), before);
      replica.advance(wake_s, heard);                       // ends the step
      replica.advance(std::nextafter(wake_s, 1e9), heard);  // starts the next one
    }
    at_s = arrival_s;
    replica.advance(at_s, heard);
  }
  EXPECT_GT(awaited_done(), 100);
}

}  // namespace servecast::replica_test
