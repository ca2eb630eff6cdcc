// Sequences that make several tokens a step: against a plain server that walks every one of them, and against the
// published closed form of how many tokens that is.
#include <gtest/gtest.h>

#include <cmath>

#include "models/base/rng.h"
#include "tests/unit/serving/fixture.h"
#include "tests/unit/serving/naive_server.h"

namespace servecast::speculation_test {

/// As many drafts as asked for; the acceptance is the test's.
class Made final : public Speculation {
 public:
  Made(std::int64_t drafts, std::int64_t lookahead) : drafts_(drafts), lookahead_(lookahead) {}
  std::int64_t max_drafts() const override { return drafts_; }
  std::int64_t drafts(const DraftLoad&) const override { return drafts_; }
  Drafter drafter() const override { return {}; }
  AcceptanceSettings acceptance() const override { return {}; }
  std::int64_t lookahead_tokens(std::int64_t) const override { return lookahead_; }

 private:
  std::int64_t drafts_;
  std::int64_t lookahead_;
};

Acceptance with_rate(double rate) { return Acceptance({.by_position = {rate}}, {}, 17); }

std::unique_ptr<Speculator> speculator(std::int64_t drafts, std::int64_t lookahead, const Acceptance& acceptance) {
  return std::make_unique<Speculator>(std::make_unique<Made>(drafts, lookahead), acceptance);
}

Request request(std::uint32_t id, double arrival_s, std::int64_t prompt, std::int64_t output) {
  return {.id = RequestId{id}, .arrival_s = arrival_s, .prompt_tokens = prompt, .output_tokens = output};
}

// All drafts taken over, 3 a step: 1 token by the prompt, then 4, 4 and the last 2 of 11.
TEST(Speculation, TokensComeInBunches) {
  const LinearLatency latency(0.5);
  Replica replica = make_replica(latency, {}, speculator(3, 0, with_rate(1)));
  Listener heard;
  serve(replica, {request(0, 0, 100, 11)}, heard);
  ASSERT_EQ(heard.steps.size(), 4u);
  EXPECT_EQ(heard.done.at(RequestId{0}).finish_s, 2.0);
  EXPECT_EQ(heard.steps[1].emitted_tokens, 4);
  EXPECT_EQ(heard.steps[3].emitted_tokens, 2);
  EXPECT_EQ(heard.members[1].front().tokens, 4);
  EXPECT_EQ(replica.core().totals.output_tokens, 11);
  // Gaps: three of half a second, and 3 + 3 + 1 tokens that come together with the one before.
  std::int64_t together = 0;
  for (const auto& [gap_s, count] : heard.gaps) together += gap_s == 0 ? count : 0;
  EXPECT_EQ(together, 7);
}

// Blocks of 4 and a prompt of 8: the first decode wants slots for its token, 3 drafts and 3 more: 15 tokens, 4
// blocks.
TEST(Speculation, SlotsAreTakenForDraftsAndLookahead) {
  const LinearLatency latency(1);
  Replica replica = make_replica(latency, {.block_tokens = 4}, speculator(3, 3, with_rate(0)));
  Listener heard;
  serve(replica, {request(0, 0, 8, 3)}, heard);
  EXPECT_EQ(heard.steps.at(0).used_blocks, 2);
  EXPECT_EQ(heard.steps.at(1).used_blocks, 4);
  EXPECT_EQ(heard.steps.at(2).used_blocks, 4) << "16 tokens";
  EXPECT_EQ(replica.core().cache().used_blocks(), 0);
}

class AgainstPlain : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Loads, AgainstPlain, testing::Range(0, 60));

// Random loads, scarce blocks in most: same times, bit for bit.
TEST_P(AgainstPlain, ServerGivesTheSameTimes) {
  Rng rng(static_cast<std::uint64_t>(GetParam()), "speculation");
  const bool ties = GetParam() % 2 == 0;
  const auto up_to = [&](std::uint64_t n) { return static_cast<std::int64_t>(rng.below(n)); };
  const std::int64_t drafts = 1 + up_to(4);
  const std::int64_t max_num_seqs = 1 + up_to(8);
  const Acceptance acceptance = with_rate(rng.uniform());
  NaiveServer naive{.budget = max_num_seqs * (1 + drafts) + up_to(64),
                    .max_num_seqs = max_num_seqs,
                    .block_tokens = 1 + up_to(8),
                    .blocks = 60 + up_to(200),
                    .depth = GetParam() % 4 < 2 ? std::size_t{1} : std::size_t{2},
                    .drafts = drafts,
                    .lookahead = GetParam() % 3 == 0 ? drafts : 0,
                    .acceptance = &acceptance};
  const std::int64_t most = naive.blocks * naive.block_tokens - drafts - naive.lookahead;
  std::vector<Request> requests;
  double at_s = 0;
  for (std::uint32_t i = 0; i < 300; ++i) {
    at_s += ties ? static_cast<double>(rng.below(40)) / 64 : rng.exponential(0.2);
    const std::int64_t prompt = 1 + up_to(static_cast<std::uint64_t>(std::min<std::int64_t>(most / 2, 150)));
    requests.push_back(
        request(i, at_s, prompt, 1 + up_to(static_cast<std::uint64_t>(std::min<std::int64_t>(most - prompt, 90)))));
  }
  const LinearLatency latency(1.0 / 32, ties ? 0 : 1e-3, ties ? 0 : 1e-5);
  Replica replica = make_replica(latency,
                                 {.budget = naive.budget,
                                  .max_num_seqs = naive.max_num_seqs,
                                  .block_tokens = naive.block_tokens,
                                  .blocks = naive.blocks,
                                  .async_scheduling = naive.depth == 2},
                                 speculator(drafts, naive.lookahead, acceptance));
  Listener heard;
  serve(replica, requests, heard);
  const std::vector<NaiveServer::Times> expected = NaiveServer(naive).serve(requests, latency);
  for (const Request& r : requests) {
    const RequestRecord& record = heard.done.at(r.id);
    const NaiveServer::Times times{record.scheduled_s.value(), record.first_token_s.value(), record.finish_s.value(),
                                   static_cast<int>(record.preemptions)};
    ASSERT_EQ(times, expected[index(r.id)]) << "request " << index(r.id);
    ASSERT_EQ(record.output_tokens, r.output_tokens);
  }
  EXPECT_EQ(replica.core().cache().free_blocks(), naive.blocks);
}

// Leviathan, Kalman and Matias, "Fast Inference from Transformers via Speculative Decoding", ICML 2023, equation 1: a
// step makes (1 - a^(k+1)) / (1 - a) tokens in the mean. 200,000 tokens of one sequence; the standard error of the
// mean is below 0.5 %.
TEST(Speculation, TokensPerStepAreThoseOfLeviathan) {
  for (const double a : {0.3, 0.6, 0.8, 0.9})
    for (const std::int64_t k : {1, 3, 5, 7}) {
      const LinearLatency latency(1);
      Replica replica = make_replica(latency, {.blocks = 20'000}, speculator(k, 0, with_rate(a)));
      Listener heard;
      serve(replica, {request(0, 0, 1, 200'001)}, heard);
      const double measured = 200'000 / static_cast<double>(heard.steps.size() - 1);
      const double expected = (1 - std::pow(a, static_cast<double>(k + 1))) / (1 - a);
      EXPECT_NEAR(measured / expected, 1, 0.01) << "a = " << a << ", k = " << k;
      EXPECT_NEAR(1 + with_rate(a).mean_accepted(k), expected, 1e-12);
    }
}

// What a request meets is its own: two requests that run side by side make the same steps as alone.
TEST(Speculation, LoadDoesNotChangeWhatARequestMeets) {
  const LinearLatency latency(1);
  const auto steps_until = [&](const std::vector<Request>& requests) {
    Replica replica = make_replica(latency, {}, speculator(2, 0, with_rate(0.5)));
    Listener heard;
    serve(replica, requests, heard);
    return *heard.done.at(RequestId{1}).finish_s;
  };
  EXPECT_EQ(steps_until({request(1, 0, 10, 500)}), steps_until({request(0, 0, 10, 400), request(1, 0, 10, 500)}));
}

// Per position: the second draft is never right, so two drafts make at most 2 tokens. From a trace: in turn.
TEST(Speculation, AcceptanceByPositionAndByTrace) {
  const Acceptance curve({.by_position = {1, 0}}, {}, 3);
  for (std::int64_t made = 0; made < 100; ++made) EXPECT_EQ(curve.accepted({RequestId{0}, made, 0, 5}), 1);
  EXPECT_EQ(curve.mean_accepted(5), 1);

  const Acceptance trace({}, {0, 3, 1}, 3);
  EXPECT_DOUBLE_EQ(trace.mean_accepted(5), 4.0 / 3);
  EXPECT_DOUBLE_EQ(trace.mean_accepted(2), 1);
  std::int64_t sum = 0;
  for (std::int64_t step = 0; step < 300; ++step) sum += trace.accepted({RequestId{8}, 2 * step, step, 5});
  EXPECT_EQ(sum, 400) << "a request goes round in the trace";
}

}  // namespace servecast::speculation_test
