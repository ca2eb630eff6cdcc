#include <gmock/gmock.h>

#include <algorithm>

#include "sim/input/trace/workload/merge.h"
#include "sim/input/trace/workload/transform.h"
#include "tests/unit/input/trace_testing.h"

namespace servecast::trace_transform_test {

using testing::ElementsAre;
using testing::Eq;
using testing::Optional;

/// Requests at given times, each followed up `think_s` after it has finished where `awaited`.
class Listed final : public Workload {
 public:
  Listed(std::vector<double> times_s, std::int64_t prompt_tokens, bool awaited = false, std::size_t blocks = 10)
      : times_s_(std::move(times_s)), prompt_tokens_(prompt_tokens), awaited_(awaited), blocks_(blocks, 7) {}

  std::optional<Request> next() override {
    if (given_ == times_s_.size()) return std::nullopt;
    const double arrival_s = times_s_[given_++];
    return make(arrival_s, SessionId{static_cast<std::uint32_t>(given_)}, awaited_);
  }
  std::optional<Request> follow_up(const Request& done, double finish_s) override {
    last_done_ = done.id;
    last_finish_s_ = finish_s;
    return make(finish_s + 10, done.session, false);
  }
  double fraction_read() const override { return static_cast<double>(given_) / static_cast<double>(times_s_.size()); }

  RequestId last_done_{};
  double last_finish_s_ = 0;

 private:
  Request make(double arrival_s, SessionId session, bool awaited) {
    return {.id = static_cast<RequestId>(made_++),
            .arrival_s = arrival_s,
            .prompt_tokens = prompt_tokens_,
            .output_tokens = 100,
            .session = session,
            .awaited = awaited,
            .block_tokens = blocks_.empty() ? 0 : 16,
            .prefix_blocks = blocks_};
  }
  std::vector<double> times_s_;
  std::int64_t prompt_tokens_;
  bool awaited_;
  std::size_t given_ = 0;
  std::uint32_t made_ = 0;
  std::vector<BlockHash> blocks_;
};

std::vector<double> times(const std::vector<Seen>& seen) {
  std::vector<double> all;
  for (const Seen& s : seen) all.push_back(s.request.arrival_s);
  return all;
}

std::vector<double> sliced(const TransformSpec& spec) {
  return times(read_all(*transform(std::make_unique<Listed>(std::vector<double>{1, 2, 4, 8, 16}, 160), spec)));
}

TEST(Transform, ChangesNothingByDefault) { EXPECT_THAT(sliced({}), ElementsAre(1, 2, 4, 8, 16)); }
TEST(Transform, SkipsAndBeginsAtTheFirstKept) { EXPECT_THAT(sliced({.skip = 2}), ElementsAre(0, 4, 12)); }
TEST(Transform, Limits) {
  EXPECT_THAT(sliced({.limit = 2}), ElementsAre(1, 2));
  EXPECT_THAT(sliced({.limit = 0}), ElementsAre());
  EXPECT_THAT(sliced({.skip = 1, .limit = 2}), ElementsAre(0, 2));
}
TEST(Transform, CutsAWindowThatBeginsAtZero) {
  EXPECT_THAT(sliced({.from_s = 2, .to_s = 16}), ElementsAre(0, 2, 6));  // 2 is inside, 16 is not
  EXPECT_THAT(sliced({.skip = 1, .from_s = 2}), ElementsAre(0, 4, 12));  // skipped inside the window
}
TEST(Transform, ScalesTheRateAfterTheSlice) {
  EXPECT_THAT(sliced({.from_s = 2, .rate_scale = 4}), ElementsAre(0, 0.5, 1.5, 3.5));
}

TEST(Transform, CapsLengthsAndKeepsOnlyWholeBlocks) {
  const auto seen = read_all(*transform(std::make_unique<Listed>(std::vector<double>{1}, 160),
                                        {.max_prompt_tokens = 100, .max_output_tokens = 7}));
  EXPECT_EQ(seen[0].request.prompt_tokens, 100);
  EXPECT_EQ(seen[0].request.output_tokens, 7);
  EXPECT_EQ(seen[0].blocks.size(), 6u);  // 6 * 16 = 96
  const auto shorter =
      read_all(*transform(std::make_unique<Listed>(std::vector<double>{1}, 160), {.max_prompt_tokens = 161}));
  EXPECT_EQ(shorter[0].request.prompt_tokens, 160);
  EXPECT_EQ(shorter[0].blocks.size(), 10u);
}

/// One request of that many tokens in blocks of 16, or in none, and 100 of output.
Request changed(std::int64_t prompt_tokens, std::size_t blocks, const TransformSpec& spec) {
  auto source = std::make_unique<Listed>(std::vector<double>{1}, prompt_tokens, false, blocks);
  return read_all(*transform(std::move(source), spec)).at(0).request;
}

TEST(Transform, ScalesPrompts) {
  EXPECT_EQ(changed(30, 0, {.prompt_scale = 1.5}).prompt_tokens, 45);
  EXPECT_EQ(changed(30, 0, {.prompt_scale = 0.55}).prompt_tokens, 17);  // 16.5, to the nearest
  EXPECT_EQ(changed(30, 0, {.prompt_scale = 0.001}).prompt_tokens, 1);
  EXPECT_EQ(changed(30, 0, {.prompt_scale = 1.5}).output_tokens, 100);
  EXPECT_EQ(changed(160, 10, {.prompt_scale = 1.5}).prompt_tokens, 160);  // the trace tells what is in it
}

TEST(Transform, ScalesOutputs) {
  EXPECT_EQ(changed(30, 0, {.output_scale = 0.25}).output_tokens, 25);
  EXPECT_EQ(changed(30, 0, {.output_scale = 0.001}).output_tokens, 1);
  EXPECT_EQ(changed(160, 10, {.output_scale = 2}).output_tokens, 200);  // blocks say nothing of outputs
  EXPECT_EQ(changed(30, 0, {.output_scale = 2}).prompt_tokens, 30);
}

TEST(Transform, ScalesBeforeItCaps) {
  const Request request = changed(30, 0, {.prompt_scale = 2, .output_scale = 0.5, .max_prompt_tokens = 40});
  EXPECT_EQ(request.prompt_tokens, 40);
  EXPECT_EQ(request.output_tokens, 50);
}

std::vector<std::size_t> cold(double fraction) {
  const auto source =
      transform(std::make_unique<Listed>(std::vector<double>(2000, 1), 160), {.cold_fraction = fraction});
  std::vector<std::size_t> ids;
  for (const Seen& seen : read_all(*source)) {
    EXPECT_EQ(seen.blocks.empty(), seen.request.block_tokens == 0);
    EXPECT_EQ(seen.request.prompt_tokens, 160);  // they are computed, not gone
    if (seen.blocks.empty()) ids.push_back(index(seen.request.id));
  }
  return ids;
}

/// 2,000 requests: a standard deviation of the share of a tenth is 0.67 %.
TEST(Transform, MakesAShareOfRequestsCold) {
  EXPECT_TRUE(cold(0).empty());
  EXPECT_EQ(cold(1).size(), 2000u);
  const std::vector<std::size_t> tenth = cold(0.1);
  EXPECT_NEAR(static_cast<double>(tenth.size()), 200, 3 * 13.4);
  EXPECT_EQ(cold(0.1), tenth);
  EXPECT_TRUE(std::ranges::includes(cold(0.3), tenth));  // chosen by id: a larger share has the smaller one in it
}

TEST(Transform, FollowUpsKeepTheirThinkTime) {
  auto source = std::make_unique<Listed>(std::vector<double>{6, 10}, 160, true);
  Listed& listed = *source;
  const auto changed = transform(std::move(source), {.from_s = 2, .rate_scale = 2});
  const Request first = *changed->next();
  EXPECT_EQ(first.arrival_s, 2);  // (6 - 2) / 2
  const Request second = *changed->follow_up(first, 5);
  EXPECT_EQ(second.arrival_s, 15);       // finished at 5, 10 s of thought
  EXPECT_EQ(listed.last_finish_s_, 12);  // 5 * 2 + 2 on the source's clock
}

TEST(Transform, AssignsLabels) {
  const auto seen = read_all(*assign(
      std::make_unique<Listed>(std::vector<double>{1}, 160, true),
      {.pool = PoolId{3},
       .request_class = ClassId{2},
       .client = ClientId{7},
       .common = {.priority = 4, .ttft_deadline_s = 0.5, .client_timeout_s = 300, .samples = 2, .beam_width = 1}}));
  ASSERT_EQ(seen.size(), 2u);
  for (const Seen& s : seen) {
    EXPECT_EQ(s.request.pool, PoolId{3});
    EXPECT_EQ(s.request.request_class, ClassId{2});
    EXPECT_EQ(s.request.client, ClientId{7});
    EXPECT_EQ(s.request.priority, 4);
    EXPECT_EQ(s.request.deadline_s, s.request.arrival_s + 0.5);
    EXPECT_EQ(s.request.give_up_s, s.request.arrival_s + 300);
    EXPECT_EQ(s.request.samples, 2);
  }
}

std::unique_ptr<Workload> merged(bool awaited = false) {
  std::vector<std::unique_ptr<Workload>> sources;
  sources.push_back(std::make_unique<Listed>(std::vector<double>{1, 3, 3}, 11, awaited));
  sources.push_back(std::make_unique<Listed>(std::vector<double>{0.5, 3, 4}, 22, awaited));
  return merge(std::move(sources));
}

TEST(Merge, GoesByTimeThenSource) {
  const auto seen = read_all(*merged());
  EXPECT_THAT(times(seen), ElementsAre(0.5, 1, 3, 3, 3, 4));
  std::vector<std::int64_t> prompts;
  for (std::size_t i = 0; i < seen.size(); ++i) {
    prompts.push_back(seen[i].request.prompt_tokens);
    EXPECT_EQ(index(seen[i].request.id), i);  // dense, in the order given out
  }
  EXPECT_THAT(prompts, ElementsAre(22, 11, 11, 11, 22, 22));
}

TEST(Merge, KeepsSessionsApart) {
  const auto seen = read_all(*merged());
  std::vector<std::size_t> sessions;
  for (const Seen& s : seen) sessions.push_back(index(s.request.session));
  EXPECT_THAT(sessions, ElementsAre(2, 1, 3, 5, 4, 6));  // odd: the first source
}

TEST(Merge, TellsEachSourceOfItsOwnRequests) {
  std::vector<std::unique_ptr<Workload>> sources;
  auto first = std::make_unique<Listed>(std::vector<double>{1, 3}, 11, true);
  auto second = std::make_unique<Listed>(std::vector<double>{2}, 22, true);
  Listed& listed = *second;
  sources.push_back(std::move(first));
  sources.push_back(std::move(second));
  const auto both = merge(std::move(sources));
  both->next();
  const Request of_second = *both->next();
  both->next();
  EXPECT_EQ(index(of_second.id), 1u);
  EXPECT_EQ(index(of_second.session), 2u);
  const Request next = *both->follow_up(of_second, 7);
  EXPECT_EQ(listed.last_done_, RequestId{0});  // what its source calls it
  EXPECT_EQ(next.session, of_second.session);
  EXPECT_EQ(index(next.id), 3u);
  EXPECT_EQ(next.arrival_s, 17);
}

TEST(Merge, ReadsAFractionOfAll) {
  const auto both = merged();
  EXPECT_EQ(both->fraction_read(), 0);
  while (both->next()) {
  }
  EXPECT_EQ(both->fraction_read(), 1);
}

}  // namespace servecast::trace_transform_test
