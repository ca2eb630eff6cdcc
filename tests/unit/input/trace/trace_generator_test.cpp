// Generators against what theory says of them, and sessions by hand.
#include <gmock/gmock.h>

#include <cmath>
#include <set>

#include "sim/input/trace/cache/trace_info.h"
#include "sim/input/trace/generate/generator.h"
#include "tests/unit/input/trace_testing.h"

namespace servecast::trace_generator_test {

constexpr std::int64_t many = 100'000;

GenerateSpec fixed_lengths(const ArrivalSpec& arrivals, std::int64_t requests = many) {
  return {
      .requests = requests, .arrivals = arrivals, .prompt_tokens = {.fixed = 100}, .output_tokens = {.fixed = 20}};
}

WorkloadSpec generated(const GenerateSpec& spec) {
  WorkloadSpec workload;
  workload.source.generate = GeneratedSpec{.generate = spec};
  return workload;
}

std::vector<Seen> make(const GenerateSpec& spec, std::uint64_t seed = 1) { return open(generated(spec), seed).all(); }

TraceInfo info_of(const GenerateSpec& spec) {
  Opened opened = open(generated(spec));
  return describe(*opened.workload, *opened.notes);
}

// The mean of n gaps with coefficient of variation c is off by c / sqrt(n), 0.3 % for n = 1e5 and c = 1; four times
// that is allowed.
TEST(Generator, PoissonHasItsRateAndNoBursts) {
  const TraceInfo info = info_of(fixed_lengths({.poisson = PoissonSpec{.requests_per_s = 5}}));
  EXPECT_EQ(info.requests, many);
  EXPECT_NEAR(info.arrivals_per_s, 5, 5 * 0.013);
  EXPECT_NEAR(info.gap_cv, 1, 0.02);
  EXPECT_NEAR(info.dispersion_1s, 1, 0.05);
}

TEST(Generator, GammaHasItsRateAndVariation) {
  for (const double cv : {0.5, 1.2, 3.0}) {
    const TraceInfo info = info_of(fixed_lengths({.gamma = GammaSpec{.requests_per_s = 5, .cv = cv}}));
    EXPECT_NEAR(info.arrivals_per_s, 5, 5 * 0.013 * cv);
    EXPECT_NEAR(info.gap_cv, cv, 0.04 * cv);
  }
}

TEST(Generator, ConstantGapsAreEqual) {
  const auto seen = make(fixed_lengths({.constant = ConstantSpec{.requests_per_s = 3}}, 1000));
  for (std::size_t i = 0; i < seen.size(); ++i) EXPECT_EQ(seen[i].request.arrival_s, static_cast<double>(i) / 3);
}

// On for a third of the time at 30/s, off at 3/s: 30/3 + 3 * 2/3 = 12/s. About 830 bursts: +- 5 %.
TEST(Generator, OnOffBurstsHaveTheMeanOfBothPhases) {
  const OnOffSpec bursts{.on_requests_per_s = 30, .off_requests_per_s = 3, .mean_on_s = 3.3, .mean_off_s = 6.6};
  const TraceInfo info = info_of(fixed_lengths({.on_off = bursts}));
  EXPECT_NEAR(info.arrivals_per_s, 12, 12 * 0.15);
  EXPECT_GT(info.gap_cv, 1.3);
  EXPECT_GT(info.dispersion_1s, 5);
}

TEST(Generator, OnOffIsSilentBetweenBursts) {
  const OnOffSpec bursts{.on_requests_per_s = 100, .mean_on_s = 1, .mean_off_s = 9};
  const TraceInfo info = info_of(fixed_lengths({.on_off = bursts}, 20'000));
  EXPECT_NEAR(info.arrivals_per_s, 10, 2.5);
}

TEST(Generator, DayCurveMovesArrivalsAndKeepsTheirNumber) {
  DayCurveSpec day{.period_s = 2400};
  day.hourly.assign(24, 1);
  day.hourly[3] = 9;  // 100 s at 9/32 of a day's requests; the other hours have 1/32 each
  GenerateSpec spec = fixed_lengths({.constant = ConstantSpec{.requests_per_s = 4}, .day_curve = day}, 9600 * 3);
  std::vector<int> hours(24);
  for (const Seen& s : make(spec)) ++hours[static_cast<std::size_t>(s.request.arrival_s / 100) % 24];
  EXPECT_NEAR(hours[3], 9600 * 3 * 9 / 32.0, 5);
  EXPECT_NEAR(hours[4], 9600 * 3 / 32.0, 5);
}

TEST(Generator, SineWavePeaksWhenAndAsHighAsTold) {
  const DayCurveSpec day{.period_s = 1000, .peak_factor = 1.5, .peak_s = 250};
  GenerateSpec spec = fixed_lengths({.constant = ConstantSpec{.requests_per_s = 100}, .day_curve = day}, many);
  std::vector<int> tenths(10);
  for (const Seen& s : make(spec)) ++tenths[static_cast<std::size_t>(s.request.arrival_s / 100) % 10];
  // Mean of 1 + 0.5 cos over the tenth around the peak: 1 + 0.5 sin(pi/10)/(pi/10) = 1.492
  EXPECT_NEAR(tenths[2], 10'000 * 1.492, 10'000 * 0.01);
  EXPECT_NEAR(tenths[7], 10'000 * 0.508, 10'000 * 0.01);
}

TEST(Generator, StopsAtItsDuration) {
  GenerateSpec spec = fixed_lengths({.constant = ConstantSpec{.requests_per_s = 2}});
  spec.requests.reset();
  spec.duration_s = 5;
  EXPECT_EQ(make(spec).size(), 10u);  // 0, 0.5 ... 4.5
}

GenerateSpec mixed_lengths() {
  GenerateSpec spec = fixed_lengths({.poisson = PoissonSpec{.requests_per_s = 5}}, 2000);
  spec.prompt_tokens = {.lognormal = LognormalSpec{.mean = 1000, .sigma = 1}};
  spec.output_tokens = {.exponential = ExponentialSpec{.mean = 200}};
  return spec;
}

TEST(Generator, RepeatsExactly) {
  const auto a = make(mixed_lengths());
  const auto b = make(mixed_lengths());
  const auto other_seed = make(mixed_lengths(), 2);
  ASSERT_EQ(a.size(), b.size());
  int differ = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a[i].request.arrival_s, b[i].request.arrival_s);
    EXPECT_EQ(a[i].request.prompt_tokens, b[i].request.prompt_tokens);
    EXPECT_EQ(a[i].request.output_tokens, b[i].request.output_tokens);
    differ += a[i].request.prompt_tokens != other_seed[i].request.prompt_tokens;
  }
  EXPECT_GT(differ, 1900);
}

TEST(Generator, ChangingOneLengthLeavesTheRestAlone) {
  GenerateSpec changed = mixed_lengths();
  changed.prompt_tokens = {.fixed = 5};
  const auto a = make(mixed_lengths());
  const auto b = make(changed);
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a[i].request.arrival_s, b[i].request.arrival_s);
    EXPECT_EQ(a[i].request.output_tokens, b[i].request.output_tokens);
  }
}

GenerateSpec talks(std::int64_t requests) {
  GenerateSpec spec = fixed_lengths({.constant = ConstantSpec{.requests_per_s = 1}}, requests);
  spec.sessions = SessionSpec{.turns = {.fixed = 3}, .think_s = DistributionSpec{.fixed = 8}};
  return spec;
}

TEST(Generator, ContextGrowsFromTurnToTurn) {
  Opened opened = open(generated(talks(100)));
  Workload& workload = *opened.workload;
  const Request first = *workload.next();
  EXPECT_EQ(first.prompt_tokens, 100);
  EXPECT_TRUE(first.awaited);
  // 120 tokens said by the end of its answer: 7 whole blocks of 16 and half of one.
  const std::vector<BlockHash> said(first.said_blocks.begin(), first.said_blocks.end());
  ASSERT_EQ(said.size(), 8u);
  ASSERT_EQ(first.prefix_blocks.size(), 6u);  // 100 / 16
  const std::vector<BlockHash> blocks(first.prefix_blocks.begin(), first.prefix_blocks.end());
  const Request second = *workload.follow_up(first, 50);
  EXPECT_EQ(second.arrival_s, 58);
  EXPECT_EQ(second.prompt_tokens, 220);  // 100 asked, 20 answered, 100 new
  ASSERT_EQ(second.prefix_blocks.size(), 13u);
  EXPECT_TRUE(std::ranges::equal(second.prefix_blocks.first(6), blocks));
  EXPECT_TRUE(std::ranges::equal(second.prefix_blocks.first(8), said));
  EXPECT_EQ(second.session, first.session);
  const Request third = *workload.follow_up(second, 60);
  EXPECT_EQ(third.prompt_tokens, 340);
  EXPECT_FALSE(workload.follow_up(third, 70));
}

TEST(Generator, SessionsShareNothingWithoutASystemPrompt) {
  const TraceInfo info = info_of(talks(3000));
  EXPECT_NEAR(static_cast<double>(info.sessions), 1000, 10);  // the last ones are cut off by the number of requests
  EXPECT_EQ(info.max_turns, 3);
  // Of 100 + 220 + 340 prompt tokens, 6 and 13 blocks of 16 were there before: 304 / 660.
  EXPECT_NEAR(*info.prefix_hit_fraction, 304.0 / 660, 0.002);
}

TEST(Generator, WhatASessionSaysDoesNotDependOnHowFastItIsServed) {
  GenerateSpec spec = talks(1000);
  spec.prompt_tokens = {.lognormal = LognormalSpec{.mean = 500, .sigma = 1}};
  const auto prompts = [&](double service_s) {
    Opened opened = open(generated(spec));
    const Request a = *opened.workload->next();
    const Request b = *opened.workload->next();
    std::vector<std::int64_t> tokens;
    if (service_s > 1) opened.workload->next();  // a third session starts before the first has its answer
    tokens.push_back(opened.workload->follow_up(a, service_s)->prompt_tokens);
    tokens.push_back(opened.workload->follow_up(b, 1 + service_s)->prompt_tokens);
    return tokens;
  };
  EXPECT_EQ(prompts(0.5), prompts(100));
}

TEST(Generator, ASessionEndsBeforeItGetsTooLong) {
  GenerateSpec spec = talks(100);
  spec.sessions->max_session_tokens = 240;  // 220 + 20 fits, 340 + 20 does not
  Opened opened = open(generated(spec));
  const Request first = *opened.workload->next();
  const Request second = *opened.workload->follow_up(first, 1);
  EXPECT_FALSE(opened.workload->follow_up(second, 2));
}

TEST(Generator, ClosedLoopKeepsItsClientsBusy) {
  GenerateSpec spec =
      fixed_lengths({.closed_loop = ClosedLoopSpec{.clients = 2, .think_s = DistributionSpec{.fixed = 3}}}, 5);
  Opened opened = open(generated(spec));
  Workload& workload = *opened.workload;
  const Request a = *workload.next();
  const Request b = *workload.next();
  EXPECT_FALSE(workload.next());
  EXPECT_EQ(a.arrival_s, 0);
  EXPECT_EQ(b.arrival_s, 0);
  EXPECT_NE(a.session, b.session);
  const Request b2 = *workload.follow_up(b, 4);
  EXPECT_EQ(b2.arrival_s, 7);
  EXPECT_EQ(b2.session, b.session);
  const Request a2 = *workload.follow_up(a, 5);
  ASSERT_TRUE(workload.follow_up(b2, 9));
  EXPECT_FALSE(workload.follow_up(a2, 10));  // five requests were asked for
}

TEST(Generator, ClosedLoopClientsMayHoldConversations) {
  GenerateSpec spec = talks(7);
  spec.arrivals = {.closed_loop = ClosedLoopSpec{.clients = 1, .think_s = DistributionSpec{.fixed = 100}}};
  const auto seen = make(spec);
  ASSERT_EQ(seen.size(), 7u);
  EXPECT_EQ(seen[2].request.prompt_tokens, 340);
  EXPECT_EQ(*seen[2].think_s, 8);
  EXPECT_EQ(seen[3].request.prompt_tokens, 100);  // the next conversation
  EXPECT_EQ(*seen[3].think_s, 100);
  EXPECT_NE(seen[3].blocks[0], seen[0].blocks[0]);
}

TEST(Generator, SystemPromptsAreSharedByPopularity) {
  GenerateSpec spec = fixed_lengths({.poisson = PoissonSpec{.requests_per_s = 5}}, 30'000);
  spec.system_prompts = SystemPromptSpec{.count = 3, .tokens = 100, .zipf_exponent = 1};
  std::map<BlockHash, int> uses;
  for (const Seen& s : make(spec)) {
    EXPECT_EQ(s.request.prompt_tokens, 200);
    ASSERT_EQ(s.blocks.size(), 6u);  // the whole blocks of the first 100 tokens
    ++uses[s.blocks[0]];
  }
  ASSERT_EQ(uses.size(), 3u);
  // 1 : 1/2 : 1/3 of 11/6
  EXPECT_NEAR(uses[0], 30'000 * 6 / 11.0, 350);
  EXPECT_NEAR(uses[6], 30'000 * 3 / 11.0, 350);
  EXPECT_NEAR(uses[12], 30'000 * 2 / 11.0, 350);
}

TEST(Generator, SessionsBeginWithTheirSystemPrompt) {
  GenerateSpec spec = talks(300);
  spec.system_prompts = SystemPromptSpec{.count = 1, .tokens = 64};
  std::set<BlockHash> first_own_blocks;
  int sessions = 0;
  for (const Seen& s : make(spec)) {
    EXPECT_THAT(std::vector(s.blocks.begin(), s.blocks.begin() + 4), testing::ElementsAre(0, 1, 2, 3));
    if (s.think_s) continue;
    EXPECT_EQ(s.request.prompt_tokens, 164);
    first_own_blocks.insert(s.blocks[4]);
    ++sessions;
  }
  EXPECT_GT(sessions, 50);
  EXPECT_EQ(first_own_blocks.size(), static_cast<std::size_t>(sessions));
}

// 2 groups of 3 prompts: 32 shared tokens and 100 of their own, 8 whole blocks of 16, the first 2 the group's.
TEST(Generator, SharedPrefixCyclesThroughFixedPrompts) {
  GenerateSpec spec = fixed_lengths({.poisson = PoissonSpec{.requests_per_s = 5}}, 18);
  spec.shared_prefix = SharedPrefixSpec{.groups = 2, .prompts_per_group = 3, .system_tokens = 32};
  const auto seen = make(spec);
  ASSERT_EQ(seen.size(), 18u);
  std::set<BlockHash> beginnings;
  std::set<std::vector<BlockHash>> prompts;
  for (std::size_t i = 0; i < seen.size(); ++i) {
    EXPECT_EQ(seen[i].request.prompt_tokens, 132);
    ASSERT_EQ(seen[i].blocks.size(), 8u);
    EXPECT_EQ(seen[i].blocks, seen[i % 6].blocks);
    beginnings.insert(seen[i].blocks[0]);
    prompts.insert(seen[i].blocks);
  }
  EXPECT_EQ(beginnings.size(), 2u);
  EXPECT_EQ(prompts.size(), 6u);
}

// Stage 1 fills 0 to 10 s with 50 requests, stage 2 fills 15 to 20 s with 100, and each ends with a request.
TEST(Generator, StagesHaveTheirExactNumberAndEnd) {
  GenerateSpec spec = fixed_lengths(
      {.stages = {{.requests_per_s = 5, .duration_s = 10}, {.requests_per_s = 20, .duration_s = 5, .pause_s = 5}}});
  spec.requests.reset();
  const auto seen = make(spec);
  ASSERT_EQ(seen.size(), 150u);
  EXPECT_NEAR(seen[49].request.arrival_s, 10, 1e-12);
  EXPECT_GT(seen[50].request.arrival_s, 15);
  EXPECT_NEAR(seen[149].request.arrival_s, 20, 1e-12);
  EXPECT_EQ(seen[0].request.request_class, seen[49].request.request_class);
  EXPECT_NE(seen[49].request.request_class, seen[50].request.request_class);
}

// 400 exponential gaps of 0.2 s have a sum of 80 s, 4 s off in a standard deviation; each seed has one of its own.
// The second stage begins behind the first one's last arrival, and has its number of requests, too.
TEST(Generator, StagesOfPoissonGapsEndWithTheirLastArrival) {
  GenerateSpec spec = fixed_lengths(
      {.stages = {{.requests_per_s = 5, .duration_s = 80}, {.requests_per_s = 5, .duration_s = 4, .pause_s = 100}},
       .stage_gaps = "poisson"});
  spec.requests.reset();
  std::set<double> ends;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const auto seen = make(spec, seed);
    ASSERT_EQ(seen.size(), 420U);
    const double end_s = seen[399].request.arrival_s;
    EXPECT_NEAR(end_s, 80, 4 * 4);
    EXPECT_GT(seen[400].request.arrival_s, end_s + 100);
    EXPECT_EQ(seen[399].request.request_class, seen[0].request.request_class);
    EXPECT_NE(seen[400].request.request_class, seen[0].request.request_class);
    ends.insert(end_s);
  }
  EXPECT_EQ(ends.size(), 20U);
}

}  // namespace servecast::trace_generator_test
