// Liveness: whatever a replica takes on, it ends. Random loads in corners: fewer sequences than pipeline stages,
// hardly any KV blocks, samples and beams, drafts, swapping, clients that give up; for every batcher, with caches and
// queues by chance.
#include <gtest/gtest.h>

#include "models/base/rng.h"
#include "tests/unit/policy/contract.h"
#include "tests/unit/serving/fixture.h"

namespace servecast::liveness_test {

constexpr std::uint64_t loads = 1500;  // of each batcher
constexpr double long_after_s = 1e5;   // a step takes a second, and no load has a tenth of so many to compute

class Dice {
 public:
  Dice(const std::string& name, std::uint64_t seed) : rng_(seed, name) {}
  std::int64_t between(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(rng_.below(static_cast<std::uint64_t>(high - low + 1)));
  }
  bool one_in(std::int64_t n) { return between(1, n) == 1; }
  template <class T>
  const T& any_of(const std::vector<T>& all) {
    return all[rng_.below(all.size())];
  }

 private:
  Rng rng_;
};

/// `drafts` of each sequence in every step, and room for as many more.
class FixedDrafts final : public Speculation {
 public:
  explicit FixedDrafts(std::int64_t drafts) : drafts_(drafts) {}
  std::int64_t max_drafts() const override { return drafts_; }
  std::int64_t drafts(const DraftLoad&) const override { return drafts_; }
  Drafter drafter() const override { return {}; }
  AcceptanceSettings acceptance() const override { return {}; }
  std::int64_t lookahead_tokens(std::int64_t) const override { return drafts_; }

 private:
  std::int64_t drafts_;
};

struct Load {
  Load(const std::string& batcher, std::uint64_t seed) {
    Dice dice(batcher, seed);
    stages = dice.between(1, 4);
    drafts = dice.one_in(5) ? dice.between(1, 2) : 0;
    const std::int64_t sequences = dice.between(1, 6);
    const std::int64_t budget = sequences * (1 + drafts) + dice.between(0, 40);
    limits = {.budget = budget,
              .max_num_seqs = sequences,
              .block_tokens = dice.any_of<std::int64_t>({1, 4, 16}),
              .async_scheduling = stages == 1 && dice.one_in(2),
              .batcher = batcher,
              .batcher_settings = {{"max_batch_size", static_cast<double>(sequences)},
                                   {"max_num_tokens", static_cast<double>(budget)},
                                   {"max_running_requests", static_cast<double>(sequences)},
                                   {"chunked_prefill_size", static_cast<double>(budget)},
                                   {"enable_mixed_chunk", dice.one_in(2)},
                                   {"overlap_schedule", stages == 1 && dice.one_in(2)},
                                   {"chunk_tokens", static_cast<double>(budget)},
                                   {"cut_prompts", dice.one_in(3)},
                                   {"count_padding", dice.one_in(3)},
                                   {"enable_chunked_context", dice.one_in(2)}},
              .queue = dice.any_of(Registry<WaitingQueue>::names()),
              .kv_cache = dice.any_of(Registry<KvCache>::names()),
              .kv_cache_settings = {
                  {"watermark_fraction", dice.one_in(3) ? 0.1 : 0}, {"max_tokens", 80}, {"window_tokens", 20}}};
    if (dice.one_in(3) && make_policy<KvCache>(limits.kv_cache)->drops_outside_window())
      limits.groups = {.groups = 3, .windowed = dice.between(1, 2), .window_tokens = dice.between(1, 40)};
    limits.blocks = std::max<std::int64_t>(2, dice.between(20, 200) / limits.block_tokens);
    if (dice.one_in(3))
      limits.swap = {
          .blocks = dice.between(1, 40), .block = {.bytes = 1}, .out = {.bytes_per_s = 4}, .in = {.bytes_per_s = 4}};
    for (std::uint32_t id = 0; id < 12; ++id) requests.push_back(request(dice, id));
  }

  Request request(Dice& dice, std::uint32_t id) {
    Request r{.id = RequestId{id},
              .arrival_s = static_cast<double>(id / 4) * 3.5,
              .prompt_tokens = dice.between(1, 60),
              .output_tokens = dice.between(1, 40)};
    if (dice.one_in(4)) r.samples = static_cast<std::int32_t>(dice.between(2, 3));
    if (dice.one_in(4)) r.beam_width = static_cast<std::int32_t>(dice.between(2, 4));
    if (dice.one_in(8)) r.give_up_s = r.arrival_s + static_cast<double>(dice.between(1, 60));
    r.priority = static_cast<std::int32_t>(dice.between(0, 2));
    r.client = ClientId{static_cast<std::uint32_t>(dice.between(1, 2))};
    return r;
  }

  std::unique_ptr<Speculator> speculator() const {
    if (drafts == 0) return {};
    return std::make_unique<Speculator>(std::make_unique<FixedDrafts>(drafts),
                                        Acceptance({.by_position = {0.5}}, {}, 17));
  }

  std::int64_t stages = 1;
  std::int64_t drafts = 0;
  ReplicaLimits limits{};
  std::vector<Request> requests{};
};

class AnyBatcher : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(All, AnyBatcher, testing::ValuesIn(Registry<Batcher>::names()), print_name);

TEST_P(AnyBatcher, EndsWhateverItTakesOn) {
  std::int64_t completed = 0;
  for (std::uint64_t seed = 0; seed < loads; ++seed) {
    const Load load(GetParam(), seed);
    const LinearLatency latency(1, 0, 0, load.stages);
    Replica replica = make_replica(latency, load.limits, load.speculator());
    const std::int64_t free_blocks = replica.core().cache().free_blocks();
    Listener heard;
    for (const Request& r : load.requests) {
      replica.advance(r.arrival_s, heard);
      replica.enqueue(r, r.arrival_s, heard);
      expect_right_sums(replica);
    }
    replica.advance(long_after_s, heard);
    for (const Request& r : load.requests) {
      ASSERT_TRUE(heard.done.contains(r.id)) << "request " << index(r.id) << ", seed " << seed;
      const RequestRecord& record = heard.done.at(r.id);
      const bool done = record.status == RequestStatus::completed;
      ASSERT_TRUE(done || record.status == RequestStatus::rejected || record.status == RequestStatus::timed_out);
      ASSERT_TRUE(!done || record.output_tokens == r.output_tokens) << "request " << index(r.id) << ", seed " << seed;
      completed += done ? 1 : 0;
    }
    ASSERT_EQ(replica.core().cache().free_blocks(), free_blocks) << "seed " << seed;
    ASSERT_EQ(replica.next_due_s(), Replica::infinity) << "seed " << seed;
  }
  EXPECT_GT(completed, static_cast<std::int64_t>(2 * loads));  // of 12 each: the corners are not empty
}

Request request(std::uint32_t id, std::int64_t prompt, std::int64_t output) {
  return {.id = RequestId{id}, .prompt_tokens = prompt, .output_tokens = output};
}

Listener serve_with(const ReplicaLimits& limits, const std::vector<Request>& requests, std::int64_t stages = 1) {
  const LinearLatency latency(1, 0, 0, stages);
  Replica replica = make_replica(latency, limits);
  Listener heard;
  serve(replica, requests, heard);
  EXPECT_EQ(heard.done.size(), requests.size());
  return heard;
}

// The budget is 100 tokens: a prompt of 100 is computed, one of 101 never will be and stands in no request's way.
TEST(VllmV0, RejectsPromptsLongerThanItsBudget) {
  const Listener heard =
      serve_with({.budget = 100, .batcher = "vllm_v0"}, {request(0, 101, 2), request(1, 100, 2), request(2, 10, 2)});
  EXPECT_EQ(heard.done.at(RequestId{0}).status, RequestStatus::rejected);
  EXPECT_EQ(heard.done.at(RequestId{1}).finish_s, 3);  // request 2 has a step of its own for its prompt
  EXPECT_EQ(heard.done.at(RequestId{2}).finish_s, 3);
}

// 2 blocks of 4 tokens; the prompt of 6 takes both. No block is free before the second token: it is preempted and
// recomputed, 7 tokens at 1 and 8 at 2, and each gives one token.
TEST(VllmV0, WhoHoldsTheWholeCacheIsRecomputedForEachToken) {
  const Listener heard = serve_with({.block_tokens = 4, .blocks = 2, .batcher = "vllm_v0"}, {request(0, 6, 3)});
  EXPECT_EQ(heard.done.at(RequestId{0}).finish_s, 3);
  EXPECT_EQ(heard.done.at(RequestId{0}).preemptions, 2u);
  EXPECT_EQ(heard.steps.at(2).prefill_tokens, 8);
}

// The same with room on the host: it would have to find 3 blocks there to come back, so it is recomputed, too.
TEST(VllmV0, DoesNotSwapOutWhatCannotComeBack) {
  const Listener heard =
      serve_with({.block_tokens = 4,
                  .blocks = 2,
                  .batcher = "vllm_v0",
                  .swap = {.blocks = 8, .block = {.bytes = 1}, .out = {.bytes_per_s = 4}, .in = {.bytes_per_s = 4}}},
                 {request(0, 6, 3)});
  EXPECT_EQ(heard.done.at(RequestId{0}).finish_s, 3);
}

// Both prompts of 4 fit the budget of 8. With 8 tokens held each, 4 of 5 blocks are taken, and request 1 is
// preempted: its prompt and 5 output tokens run alone, beyond the budget.
TEST(VllmV0, ARecomputationThatHasOutgrownTheBudgetRunsAlone) {
  const Listener heard =
      serve_with({.budget = 8, .max_num_seqs = 8, .block_tokens = 4, .blocks = 5, .batcher = "vllm_v0"},
                 {request(0, 4, 12), request(1, 4, 12)});
  EXPECT_GT(heard.done.at(RequestId{1}).preemptions, 0u);
  std::int64_t longest = 0;
  for (const StepRecord& step : heard.steps) longest = std::max(longest, step.prefill_tokens);
  EXPECT_GT(longest, 8);
  EXPECT_EQ(heard.done.at(RequestId{1}).status, RequestStatus::completed);
}

// Reserved blocks are all there is to want.
TEST(VllmV0, WantsNoSpareBlockWhereSequencesNeverGrow) {
  const Listener heard = serve_with({.blocks = 4, .batcher = "vllm_v0", .kv_cache = "paged_reserved"},
                                    {request(0, 20, 13), request(1, 20, 13)});
  for (const auto& [id, record] : heard.done) {
    EXPECT_EQ(record.preemptions, 0u);
    EXPECT_EQ(record.finish_s, 13);
  }
}

// Blocks of 4, a prompt of 8, beams of 3: 4 tokens ago all were one. At 12 tokens the third block is each one's own,
// 2 + 3; at 13 tokens all have begun a fourth, 2 + 2 x 3; at 16 the third is common again, 3 + 3. Its last token is
// not the dearest.
TEST(Beams, WantTheMostBlocksBeforeTheirLastToken) {
  Request r = request(0, 8, 9);
  r.beam_width = 3;
  EXPECT_EQ(serve_with({.block_tokens = 4, .blocks = 8}, {r}).done.at(RequestId{0}).status, RequestStatus::completed);
  EXPECT_EQ(serve_with({.block_tokens = 4, .blocks = 7}, {r}).done.at(RequestId{0}).status, RequestStatus::rejected);
}

// Four stages of a quarter of a second and places for one: one request after the other goes through all stages.
TEST(FewSequencesForStages, OneAtATimeGoesThroughAllStages) {
  for (const std::string& batcher : Registry<Batcher>::names()) {
    const Listener heard = serve_with({.max_num_seqs = 1,
                                       .batcher = batcher,
                                       .batcher_settings = {{"max_batch_size", 1}, {"max_running_requests", 1}}},
                                      {request(0, 10, 3), request(1, 10, 3), request(2, 10, 3)}, 4);
    for (std::uint32_t id = 0; id < 3; ++id)
      EXPECT_EQ(heard.done.at(RequestId{id}).finish_s, 3 * (id + 1)) << batcher;
    for (std::size_t i = 1; i < heard.steps.size(); ++i)
      EXPECT_GE(heard.steps[i].start_s, heard.steps[i - 1].end_s) << batcher;
  }
}

}  // namespace servecast::liveness_test
