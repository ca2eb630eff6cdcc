// Prompts and decodes at the same time on the same GPUs (semi-PD).
#include "sim/serving/step/sm_sides.h"

#include <gtest/gtest.h>

#include "models/base/rng.h"
#include "models/policy/placement.h"
#include "tests/unit/serving/fixture.h"

namespace servecast::sm_sides_test {

/// 1 s for a step with prompts, arithmetic alone; 0.25 s for one of decodes, memory traffic alone.
class BoundLatency final : public StepLatency {
 public:
  std::int64_t stages() const override { return 1; }
  StageTime stage(const StepWork& w, std::int64_t) const override {
    if (w.prefill_tokens == 0) return {.seconds = 0.25};
    return {.seconds = 1, .compute_s = 1};
  }
};
const BoundLatency bound;

/// The same in each of two stages.
class TwoStages final : public StepLatency {
 public:
  std::int64_t stages() const override { return 2; }
  StageTime stage(const StepWork& w, std::int64_t) const override { return bound.stage(w, 0); }
};

struct Semi {
  std::map<std::string, double> settings{};
  std::int64_t blocks = 1000;
  SwapSpace swap{};
  std::string batcher = "vllm_v0";
  bool ask_every_step = false;

  Replica replica(const StepLatency& latency) const {
    auto cache = make_policy<KvCache>("paged", {{"block_tokens", 4}, {"watermark_fraction", 0}});
    cache->resize(blocks * 4);
    return Replica({.latency = &latency,
                    .batcher = make_policy<Batcher>(batcher),
                    .queue = make_policy<WaitingQueue>("fcfs"),
                    .kv_cache = std::move(cache),
                    .swap = swap,
                    .partition = make_policy<Placement>("semi_pd", settings)->sm_partition(),
                    .ask_every_step = ask_every_step});
  }
};

Request request(std::uint32_t id, double arrival_s, std::int64_t prompt, std::int64_t output) {
  return {.id = RequestId{id}, .arrival_s = arrival_s, .prompt_tokens = prompt, .output_tokens = output};
}

// Shares of 50 and 50. The first prompt runs alone with half of the SMs: 2 s. From then on it decodes, a step of
// 0.25 x 1.6221 = 0.40553 s alone. The second prompt comes at 3 s, while the step from 2.81106 to 3.21659 runs, and
// is computed at once, beside decodes: 2 s. These have half of the SMs whatever else runs, and a prompt that only
// computes takes no bandwidth.
TEST(SmSides, PromptsDoNotWaitForDecodesNorDecodesForPrompts) {
  Replica replica = Semi{.settings = {{"prefill_sm_fraction", 0.5}, {"decode_sm_fraction", 0.5}}}.replica(bound);
  Listener listener;
  serve(replica, {request(0, 0, 8, 9), request(1, 3, 8, 2)}, listener);
  const double step_s = 0.25 * memory_stretch(0.5);
  EXPECT_DOUBLE_EQ(*listener.done[RequestId{0}].first_token_s, 2);
  EXPECT_NEAR(*listener.done[RequestId{0}].finish_s, 2 + 8 * step_s, 1e-12);
  EXPECT_DOUBLE_EQ(*listener.done[RequestId{1}].first_token_s, 5);
  // Its second token comes with the first step that starts after 5 s: at 2 + 8 x 0.40553 = 5.24424.
  EXPECT_NEAR(*listener.done[RequestId{1}].finish_s, 2 + 9 * step_s, 1e-12);
}

// The prompts' 2 + 2 s and the decodes' 9 steps, less the 2 s in which they overlap (3 to 5 s).
TEST(SmSides, TimeInWhichBothRunIsBusyOnce) {
  Replica replica = Semi{.settings = {{"prefill_sm_fraction", 0.5}, {"decode_sm_fraction", 0.5}}}.replica(bound);
  Listener listener;
  serve(replica, {request(0, 0, 8, 9), request(1, 3, 8, 2)}, listener);
  EXPECT_NEAR(replica.core().totals.busy_s, 2 + 9 * 0.25 * memory_stretch(0.5), 1e-12);
  double steps_s = 0;
  for (const StepRecord& step : listener.steps) steps_s += step.end_s - step.start_s;
  EXPECT_NEAR(steps_s, 4 + 9 * 0.25 * memory_stretch(0.5), 1e-12);
}

// All the SMs for both: alone a prompt takes 1 s. Beside a decode step it has 1 / 1.25 = 80 % of them: 1.25 s.
TEST(SmSides, WithAllSmsForBothAStepAloneIsAsFastAsEver) {
  Replica replica = Semi{.settings = {{"prefill_sm_fraction", 1}, {"decode_sm_fraction", 1}}}.replica(bound);
  Listener listener;
  serve(replica, {request(0, 0, 8, 9), request(1, 1.1, 8, 1)}, listener);
  EXPECT_DOUBLE_EQ(*listener.done[RequestId{0}].first_token_s, 1);
  EXPECT_DOUBLE_EQ(*listener.done[RequestId{1}].first_token_s, 1.1 + 1.25);
}

// Whether batches are repeated or the batcher is asked every time, with memory that runs short, swapping and clients
// that give up: the same times, and every request is reported once.
TEST(SmSides, ShortCutsChangeNothing) {
  const LinearLatency latency(0.01, 0.0005, 0.000002);
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const auto run = [&](bool ask_every_step) {
      Rng rng(seed, "semi");
      std::vector<Request> requests;
      double at_s = 0;
      for (std::uint32_t i = 0; i < 200; ++i) {
        at_s += rng.uniform() * 0.1;
        requests.push_back(request(i, at_s, 1 + static_cast<std::int64_t>(rng.below(100)),
                                   1 + static_cast<std::int64_t>(rng.below(60))));
        if (seed % 3 == 0) requests.back().give_up_s = at_s + 2;
        if (seed % 5 == 0) requests.back().samples = 1 + static_cast<std::int32_t>(rng.below(3));
      }
      const char* const batchers[] = {"vllm_v0", "vllm_v1", "sarathi", "orca", "splitwise_mixed", "trtllm"};
      Semi semi{.settings = {{"prefill_sm_fraction", 0.7}, {"ttft_s", 0.3}, {"tpot_s", 0.03}, {"switch_s", 0.1}},
                .blocks = seed % 2 == 0 ? 150 : 1000,
                .swap = seed % 4 == 0 ? SwapSpace{.blocks = 100,
                                                  .block = {.bytes = 1},
                                                  .out = {.bytes_per_s = 1e4},
                                                  .in = {.bytes_per_s = 1e4}}
                                      : SwapSpace{},
                .batcher = batchers[seed % 6],
                .ask_every_step = ask_every_step};
      Replica replica = semi.replica(latency);
      Listener listener;
      serve(replica, requests, listener);
      EXPECT_EQ(listener.done.size(), requests.size()) << "seed " << seed;
      EXPECT_EQ(replica.core().cache().used_blocks(), 0) << "seed " << seed;
      std::vector<double> times;
      for (const auto& [id, r] : listener.done) {
        EXPECT_NE(r.status, RequestStatus::unfinished) << "seed " << seed;
        times.insert(times.end(), {r.first_token_s.value_or(-1), r.finish_s.value_or(-1)});
        times.push_back(static_cast<double>(r.preemptions));
      }
      return times;
    };
    ASSERT_EQ(run(false), run(true)) << "seed " << seed;
  }
}

/// 100 and 100 %, bounds of 1 s and 0.1 s.
std::unique_ptr<SmPartition> partition() {
  return make_policy<Placement>(
             "semi_pd", {{"prefill_sm_fraction", 1}, {"decode_sm_fraction", 1}, {"ttft_s", 1}, {"tpot_s", 0.1}})
      ->sm_partition();
}

// TPOT 0.12 s with half of what both may use: 0.6284 / 0.5 + 0.3818 = 1.6386. Decodes have 100 % already, so prompts
// give way: at 65 % decodes have 1 / 1.65, so 0.12 x (0.6284 x 1.65 + 0.3818) / 1.6386 = 0.1039 s, at 60 % 0.1016, at
// 55 % 0.0993 s.
TEST(SmPartition, GivesTheLateSideWhatItIsExpectedToNeed) {
  const SmShares wanted =
      partition()->next({1, 1}, {.requests_per_s = 5, .prompt_s = 0.02, .ttft_s = 0.5, .tpot_s = 0.12});
  EXPECT_NEAR(wanted.prefill, 0.55, 1e-12);
  EXPECT_DOUBLE_EQ(wanted.decode, 1);
}

// Prompts need 5 x 0.08 = 0.4 of the SMs and have 0.5: they wait 0.6809 / 0.1 + 0.022 = 6.831 in times of a prompt,
// and should wait 1 / 1.2 as long, 5.693: with 0.5201, which 90 % for decodes (1 / 1.9 = 0.5263) give and 95 %
// (0.5128) do not.
TEST(SmPartition, PromptsThatAreLateTakeFromDecodes) {
  const SmShares wanted =
      partition()->next({1, 1}, {.requests_per_s = 5, .prompt_s = 0.08, .ttft_s = 1.2, .tpot_s = 0.05});
  EXPECT_DOUBLE_EQ(wanted.prefill, 1);
  EXPECT_NEAR(wanted.decode, 0.9, 1e-12);
}

// At most ten steps of 5 % at once, and a side keeps 5 %.
TEST(SmPartition, MovesOnlySoMuchAtOnce) {
  const auto p = partition();
  const SmWindow late{.requests_per_s = 5, .prompt_s = 0.02, .ttft_s = 0.5, .tpot_s = 9};
  EXPECT_NEAR(p->next({1, 1}, late).prefill, 0.5, 1e-12);
  EXPECT_NEAR(p->next({0.3, 1}, late).prefill, 0.05, 1e-12);
  EXPECT_NEAR(p->next({0.3, 0.4}, late).decode, 0.9, 1e-12);
  EXPECT_NEAR(p->next({0.3, 0.4}, late).prefill, 0.3, 1e-12);
}

TEST(SmPartition, KeepsTheSharesWhereBothOrNoneAreLate) {
  const auto p = partition();
  EXPECT_EQ(p->next({0.8, 1}, {.ttft_s = 0.5, .tpot_s = 0.05}), (SmShares{0.8, 1}));
  EXPECT_EQ(p->next({0.8, 1}, {.ttft_s = 2, .tpot_s = 0.2}), (SmShares{0.8, 1}));
  EXPECT_EQ(p->next({0.8, 1}, {}), (SmShares{0.8, 1}));
}

// Decided at 1 s, ready at 4 s: a step that starts before has the old share, one that starts then the new.
TEST(SmSides, NewSharesAreThereWhenTheirProcessesHaveStarted) {
  SmSides sides(make_policy<Placement>("semi_pd", {{"prefill_sm_fraction", 1},
                                                   {"decode_sm_fraction", 1},
                                                   {"ttft_s", 1},
                                                   {"tpot_s", 0.1},
                                                   {"window_steps", 1},
                                                   {"switch_s", 3}})
                    ->sm_partition());
  sides.finished(0.12);
  sides.ended(1);
  const StageTime prompt{.seconds = 1, .compute_s = 1};
  EXPECT_DOUBLE_EQ(sides.start(0, Side::prefill, prompt, false, 3.9).seconds, 1);
  EXPECT_EQ(sides.switches(), 0);
  EXPECT_NEAR(sides.start(0, Side::prefill, prompt, false, 4).seconds, 1 / 0.55, 1e-12);
  EXPECT_EQ(sides.switches(), 1);
}

// Shares of 50 and 50, two stages. The first prompt takes 2 s in each. The second is in the first stage when the
// first prompt leaves it, at 2 s, and has its token at 6 s. From 4 s on the first request decodes beside it, 0.40553
// s in each stage; a prompt that only computes takes no bandwidth. At 6 s the second request's decode step waits for
// the first stage, which the other's third step has had since 4 + 4 x 0.40553 s, and then follows it.
TEST(SmSides, ShareEachOfTheStages) {
  const TwoStages two;
  Replica replica = Semi{.settings = {{"prefill_sm_fraction", 0.5}, {"decode_sm_fraction", 0.5}}}.replica(two);
  Listener listener;
  serve(replica, {request(0, 0, 8, 9), request(1, 0.5, 8, 2)}, listener);
  const double pass_s = 0.25 * memory_stretch(0.5);
  EXPECT_DOUBLE_EQ(*listener.done[RequestId{0}].first_token_s, 4);
  EXPECT_NEAR(*listener.done[RequestId{0}].finish_s, 4 + 8 * 2 * pass_s, 1e-12);
  EXPECT_DOUBLE_EQ(*listener.done[RequestId{1}].first_token_s, 6);
  EXPECT_NEAR(*listener.done[RequestId{1}].finish_s, 4 + (5 + 2) * pass_s, 1e-12);
}

}  // namespace servecast::sm_sides_test
