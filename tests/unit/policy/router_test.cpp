// Decisions of routers, worked out by hand.
#include "models/policy/router.h"

#include <gtest/gtest.h>

#include <set>

#include "sim/contract/made_up_pool.h"
#include "tests/unit/serving/fixture.h"

namespace servecast::router_test {

using Settings = std::map<std::string, double>;

/// Where a router made anew sends one request.
ReplicaId sends(const std::string& router, const MadeUpPool& pool, const Request& request,
                const Settings& settings = {}) {
  Rng rng(1, "router");
  return make_policy<Router>(router, settings)->pick(request, pool.seen(), rng)->replica;
}

TEST(SessionRouter, KeepsASessionAndAClientWhereTheyAreAndSpreadsThem) {
  const MadeUpPool pool = idle_pool(8);
  const auto router = make_policy<Router>("session");
  Rng rng(1, "router");
  std::map<std::uint32_t, ReplicaId> home;
  std::map<ReplicaId, int> sessions;
  for (int round = 0; round < 3; ++round)
    for (std::uint32_t i = 1; i <= 800; ++i) {
      // whose client asks does not matter where there is a session
      const Request turn{.client = ClientId{static_cast<std::uint32_t>(round)}, .session = SessionId{i}};
      const ReplicaId at = router->pick(turn, pool.seen(), rng)->replica;
      if (round == 0) sessions[at] += 1;
      EXPECT_EQ(home.try_emplace(i, at).first->second, at);
    }
  // 160 points each: shares of the ring differ by about 1 / sqrt(160) = 8 % (and sessions by 1 / sqrt(100) more)
  ASSERT_EQ(sessions.size(), 8u);
  for (const auto& [replica, count] : sessions) EXPECT_NEAR(count, 100, 50);
  EXPECT_EQ(sends("session", pool, {.client = ClientId{7}}), sends("session", pool, {.client = ClientId{7}}));
}

TEST(SessionRouter, SendsWhoBelongsNowhereToTheFewestRequests) {
  MadeUpPool pool = idle_pool(3);
  pool.views[0].running_requests = 2;
  pool.views[1].waiting_requests = 1;
  pool.views[2].running_requests = 3;
  EXPECT_EQ(sends("session", pool, {}), ReplicaId{1});
}

// A prompt of 6,000: 4,100 cached on replica 2, so 1,900 are missing: within 2,000. With 3,900 cached 2,100 are.
TEST(KvAware, FollowsTheCacheWhereLittleIsMissing) {
  MadeUpPool pool = idle_pool(3);
  pool.views[0].waiting_requests = 0;
  pool.views[2].waiting_requests = 50;
  pool.cached = {100, 0, 4100};
  EXPECT_EQ(sends("kv_aware", pool, {.prompt_tokens = 6000}), ReplicaId{2});
  pool.cached[2] = 3900;
  EXPECT_EQ(sends("kv_aware", pool, {.prompt_tokens = 6000}), ReplicaId{0});
  EXPECT_EQ(sends("kv_aware", pool, {.prompt_tokens = 6000}, {{"threshold_tokens", 2100}}), ReplicaId{2});
  const Request in_session{.prompt_tokens = 6000, .session = SessionId{5}};
  EXPECT_EQ(sends("kv_aware", pool, in_session), sends("session", pool, in_session));
}

TEST(KvAware, SendsAShortPromptThatNobodyHoldsByItsSession) {
  MadeUpPool pool = idle_pool(3);
  pool.views[0].waiting_requests = 1;
  EXPECT_EQ(sends("kv_aware", pool, {.prompt_tokens = 100}), ReplicaId{1});
}

// The example of Dynamo's documentation: of 10 blocks, 2, 5 and 8 are cached on three workers that hold 10, 5 and 9:
// 8 + 10 = 18, 5 + 5 = 10, 2 + 9 = 11.
TEST(KvCost, AddsBlocksToComputeAndBlocksHeld) {
  MadeUpPool pool = idle_pool(3);
  pool.cached = {20, 50, 80};
  pool.views[0].used_blocks = 10;
  pool.views[1].used_blocks = 5;
  pool.views[2].used_blocks = 9;
  const Request request{.prompt_tokens = 100};
  EXPECT_EQ(sends("kv_cost", pool, request), ReplicaId{1});
  // weight 2: 26, 15, 13
  EXPECT_EQ(sends("kv_cost", pool, request, {{"overlap_weight", 2}}), ReplicaId{2});
  // 20 tokens queued are 2 blocks more on replica 1: 18, 12, 11
  pool.views[1].waiting_tokens = 20;
  EXPECT_EQ(sends("kv_cost", pool, request), ReplicaId{2});
}

// Costs 1 and 0 at temperature 1: e^-1 / (1 + e^-1) = 26.9 % go to the dearer one.
TEST(KvCost, DrawsByTemperature) {
  MadeUpPool pool = idle_pool(2);
  pool.views[0].used_blocks = 1;
  const auto router = make_policy<Router>("kv_cost", {{"temperature", 1}});
  Rng rng(1, "router");
  int dearer = 0;
  for (int i = 0; i < 10'000; ++i) dearer += router->pick({}, pool.seen(), rng) == ReplicaId{0};
  EXPECT_NEAR(dearer, 2689, 150);  // standard deviation 44
}

/// A conductor that has just sent 2.5 s of work to replica 0 of three, whose caches then hold 3,000, 0 and 2,000
/// tokens of the next prompt of 4,000; where it sends that.
std::optional<Route> conducted(const Settings& settings) {
  MadeUpPool pool = idle_pool(3);
  const auto conductor = make_policy<Router>("conductor", settings);
  Rng rng(1, "router");
  EXPECT_EQ(conductor->pick({.arrival_s = 1, .prompt_tokens = 2500}, pool.seen(), rng), ReplicaId{0});
  pool.cached = {3000, 0, 2000};
  return conductor->pick({.arrival_s = 1, .prompt_tokens = 4000}, pool.seen(), rng);
}

// Replica 0: 2.5 + 1 = 3.5 s. Replica 1: copying takes 0.3 s, computing the rest 1 s. Replica 2 holds 2,000: 3,000 is
// not more than twice that, so it would compute 2 s. With a threshold of 1.4 it fetches 1,000 more: 0.1 + 1 = 1.1 s.
TEST(Conductor, CopiesAHotPrefixToWhoHasTime) {
  EXPECT_EQ(conducted({}), Route(ReplicaId{1}, ReplicaId{0}, 3000));
  EXPECT_EQ(conducted({{"transfer", 0}}), ReplicaId{2});
  EXPECT_EQ(conducted({{"balancing_threshold", 1.4}}), Route(ReplicaId{2}, ReplicaId{0}, 3000));
}

// A prompt of 1 s behind one of 2 s that came half a second before: 2.5 s. The fourth sequence makes a step of 4 ms.
TEST(Conductor, TurnsAwayWhatCannotKeepItsBounds) {
  const auto taken = [&](const Settings& settings) {
    MadeUpPool pool({{.running_requests = 3, .total_blocks = 100}});
    const auto conductor = make_policy<Router>("conductor", settings);
    Rng rng(1, "router");
    conductor->pick({.arrival_s = 1, .prompt_tokens = 2000}, pool.seen(), rng);
    return conductor->pick({.arrival_s = 1.5, .prompt_tokens = 1000}, pool.seen(), rng).has_value();
  };
  EXPECT_TRUE(taken({}));
  EXPECT_TRUE(taken({{"ttft_slo_s", 2.51}, {"tbt_slo_s", 0.0041}}));
  EXPECT_FALSE(taken({{"ttft_slo_s", 2.49}}));
  EXPECT_FALSE(taken({{"tbt_slo_s", 0.0039}}));
}

// Four replicas, one of them mixed, at most 1,000 tokens queued.
TEST(SplitwiseJsq, CallsTheMixedOnesWhereTheShortestQueueIsTooLong) {
  MadeUpPool pool = idle_pool(4);
  const Settings settings{{"max_pending_tokens", 1000}, {"mixed_fraction", 0.25}};
  const auto with_queues = [&](std::vector<std::int64_t> tokens) {
    for (std::size_t i = 0; i < tokens.size(); ++i) pool.views[i].waiting_tokens = tokens[i];
    return sends("splitwise_jsq", pool, {}, settings);
  };
  EXPECT_EQ(with_queues({1500, 1000, 1200, 0}), ReplicaId{1});
  EXPECT_EQ(with_queues({1500, 1001, 1200, 900}), ReplicaId{3});
  EXPECT_EQ(with_queues({1500, 1001, 1200, 1400}), ReplicaId{1});
  EXPECT_EQ(with_queues({1500, 1401, 1700, 1400}), ReplicaId{3});
  EXPECT_EQ(sends("splitwise_jsq", pool, {}), ReplicaId{3});  // without a mixed part: the shortest of all
}

// Free blocks 60, 80 and 90, of which waiting prompts of 250 tokens will take 25 on the last: 60 / 2 = 30, 80 / 4 =
// 20, 65 / 2 = 32.5. With 310 waiting tokens the last has 59 / 2 = 29.5.
TEST(Llumnix, PicksTheMostFreeBlocksPerRequest) {
  MadeUpPool pool = idle_pool(3);
  pool.views[0] = {.id = ReplicaId{0}, .running_requests = 2, .used_blocks = 40, .total_blocks = 100};
  pool.views[1] = {.id = ReplicaId{1}, .running_requests = 4, .used_blocks = 20, .total_blocks = 100};
  pool.views[2] = {.id = ReplicaId{2},
                   .waiting_requests = 1,
                   .waiting_tokens = 250,
                   .running_requests = 1,
                   .used_blocks = 10,
                   .total_blocks = 100};
  EXPECT_EQ(sends("llumnix", pool, {}), ReplicaId{2});
  pool.views[2].waiting_tokens = 301;
  EXPECT_EQ(sends("llumnix", pool, {}), ReplicaId{0});
  // by memory alone: 40, 20 and 10 + 31 of 100
  EXPECT_EQ(sends("infaas", pool, {}), ReplicaId{1});
}

// Weights 2, 2, 3. Replica 0: queue 1, kv 0.2, prefix 0: 2 + 0.4 = 2.4. Replica 1: queue 0, kv 0.9, prefix 0.8:
// 1.8 + 2.4 = 4.2. Replica 2: queue 0.5, kv 0.8, prefix 0.5: 1 + 1.6 + 1.5 = 4.1.
TEST(Weighted, AddsScores) {
  MadeUpPool pool = idle_pool(3);
  pool.views[0].used_blocks = 80;
  pool.views[1].used_blocks = 10;
  pool.views[2].used_blocks = 20;
  pool.views[1].waiting_requests = 4;
  pool.views[2].waiting_requests = 2;
  pool.cached = {0, 800, 500};
  const Request request{.prompt_tokens = 1000, .session = SessionId{3}};
  EXPECT_EQ(sends("weighted", pool, request), ReplicaId{1});
  EXPECT_EQ(sends("weighted", pool, request, {{"prefix_weight", 2.5}}), ReplicaId{2});  // 2.4, 3.8, 3.85
  EXPECT_EQ(sends("weighted", pool, request, {{"queue_weight", 5}}), ReplicaId{2});     // 5.4, 4.2, 5.6
  const auto faithful = make_policy<Router>("weighted", {{"session_weight", 1}});
  Rng rng(1, "router");
  EXPECT_EQ(faithful->pick(request, pool.seen(), rng), ReplicaId{1});
  pool.cached[2] = 600;  // 4.4 against 4.2 + 1
  EXPECT_EQ(faithful->pick(request, pool.seen(), rng), ReplicaId{1});
  EXPECT_EQ(sends("weighted", pool, request), ReplicaId{2});
}

TEST(Weighted, MindsWhenNothingCounts) {
  const Settings none{{"queue_weight", 0}, {"kv_weight", 0}, {"prefix_weight", 0}};
  EXPECT_TRUE(make_policy<Router>("weighted", none)->problem());
  EXPECT_FALSE(make_policy<Router>("weighted")->problem());
}

/// One router of SGLang's kind over time.
class CacheAware {
 public:
  explicit CacheAware(std::uint32_t replicas, const Settings& settings = {})
      : router_(make_policy<Router>("prefix_cache_aware", settings)), pool(idle_pool(replicas)) {}
  std::uint32_t send(const std::vector<BlockHash>& blocks, double at_s = 0) {
    const Request request{.arrival_s = at_s,
                          .prompt_tokens = 10 * static_cast<std::int64_t>(blocks.size()),
                          .block_tokens = 10,
                          .prefix_blocks = blocks};
    return static_cast<std::uint32_t>(router_->pick(request, pool.seen(), rng_)->replica);
  }

 private:
  std::unique_ptr<Router> router_;
  Rng rng_{1, "router"};

 public:
  MadeUpPool pool;
};

// Trees of 40, 0, 0 tokens after the first; then the smallest; 3 of 5 blocks match: above half; 2 of 4: not.
TEST(PrefixCacheAware, FollowsAMatchElseTheSmallestTree) {
  CacheAware router(3);
  EXPECT_EQ(router.send({1, 2, 3, 4}), 0u);
  EXPECT_EQ(router.send({9, 8}), 1u);
  EXPECT_EQ(router.send({1, 2, 3, 5, 6}), 0u);
  EXPECT_EQ(router.send({1, 2, 7, 7}), 2u);
  EXPECT_EQ(router.send({1, 2}), 2u);  // two hold it: the one that got it last
  EXPECT_EQ(router.send({1, 2, 3}), 0u);
}

// 33 more than the idlest are too many, 32 are not.
TEST(PrefixCacheAware, BalancesWhereLoadIsUneven) {
  CacheAware router(2);
  EXPECT_EQ(router.send({1, 2, 3, 4}), 0u);
  router.pool.views[0].running_requests = 32;
  EXPECT_EQ(router.send({1, 2, 3, 4}), 0u);
  router.pool.views[0].waiting_requests = 1;
  EXPECT_EQ(router.send({1, 2, 3, 4}), 1u);
  router.pool.views[1].running_requests = 100;  // uneven the other way
  EXPECT_EQ(router.send({1, 2, 3, 4}), 0u);
  CacheAware relative(2, {{"balance_rel_threshold", 2}});
  EXPECT_EQ(relative.send({1}), 0u);
  relative.pool.views[0].running_requests = 133;
  relative.pool.views[1].running_requests = 100;  // not twice as many
  EXPECT_EQ(relative.send({1}), 0u);
}

// Trees are cut back to 20 tokens every 60 s: at 59.9 s all of {1,2,3,4} is known, at 60 s only {1,2}.
TEST(PrefixCacheAware, ForgetsLeavesAtIntervals) {
  CacheAware router(2, {{"max_tree_tokens", 20}});
  EXPECT_EQ(router.send({1, 2, 3, 4}), 0u);
  EXPECT_EQ(router.send({1, 2, 3, 4}, 59.9), 0u);
  EXPECT_EQ(router.send({1, 2, 3, 4}, 60), 1u);  // half is not more than half: the smaller tree
}

// It has sent the prompt to one of three idle replicas, all of whose other scores are alike. The second time, that
// one has 5 requests waiting: 3 for the whole prompt against 2 for no queue. With prefix_weight 1 the queue decides.
TEST(Llmd, FollowsWhatItSentUntilQueuesOutweighIt) {
  const std::vector<BlockHash> blocks{1, 2, 3, 4};
  const Request request{.prompt_tokens = 64, .block_tokens = 16, .prefix_blocks = blocks};
  for (const double weight : {3.0, 1.0}) {
    MadeUpPool pool = idle_pool(3);
    for (ReplicaView& view : pool.views) view.total_blocks = 100;
    const auto router = make_policy<Router>("llmd", {{"prefix_weight", weight}});
    Rng rng(1, "router");
    const ReplicaId first = router->pick(request, pool.seen(), rng)->replica;
    pool.views[index(first)].waiting_requests = 5;
    EXPECT_EQ(router->pick(request, pool.seen(), rng)->replica == first, weight == 3) << weight;
  }
}

// Prompts that no replica has go to each in turn: to one that never had any, then to the one that had its last first.
TEST(Llmd, SpreadsNewPrompts) {
  MadeUpPool pool = idle_pool(3);
  for (ReplicaView& view : pool.views) view.total_blocks = 100;
  const auto router = make_policy<Router>("llmd");
  Rng rng(1, "router");
  std::vector<ReplicaId> order;
  for (BlockHash i = 1; i <= 6; ++i) {
    const std::vector<BlockHash> blocks{100 * i};
    order.push_back(
        router->pick({.prompt_tokens = 16, .block_tokens = 16, .prefix_blocks = blocks}, pool.seen(), rng)->replica);
  }
  EXPECT_EQ(std::set(order.begin(), order.begin() + 3).size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(order[i + 3], order[i]);
}

// 4 blocks of 16 tokens were sent to one of three idle replicas. Its backlog of 100 tokens takes 1 s at 100 tokens/s:
// it keeps the prompt while that is allowed, and else sends it to one without backlog, though that lacks all 64
// tokens.
TEST(PrefixAffinity, StaysUntilSaturated) {
  const std::vector<BlockHash> blocks{1, 2, 3, 4};
  const Request request{.prompt_tokens = 64, .block_tokens = 16, .prefix_blocks = blocks};
  for (const double penalty_s : {0.0, 1.0, 0.99}) {
    MadeUpPool pool = idle_pool(3);
    const auto router =
        make_policy<Router>("prefix_affinity", {{"max_extra_ttft_s", penalty_s}, {"peak_prefill_tokens_per_s", 100}});
    Rng rng(1, "router");
    const ReplicaId first = router->pick(request, pool.seen(), rng)->replica;
    pool.views[index(first)].waiting_tokens = 100;
    EXPECT_EQ(router->pick(request, pool.seen(), rng)->replica == first, penalty_s != 0.99) << penalty_s;
  }
}

// 3 of 4 blocks are less than 80 %: the backlog of 10 tokens beside what each lacks decides, 16 + 10 against 64 + 0
// and 64 + 10 against 64. A prompt of 5 blocks of which 4 were sent there is sticky.
TEST(PrefixAffinity, BelowTheThresholdTheFewestTokensDecide) {
  const std::vector<BlockHash> sent{1, 2, 3, 4, 5};
  MadeUpPool pool = idle_pool(2);
  const auto router = make_policy<Router>("prefix_affinity");
  Rng rng(1, "router");
  const auto send = [&](std::vector<BlockHash> blocks) {
    const auto tokens = static_cast<std::int64_t>(16 * blocks.size());
    return router->pick({.prompt_tokens = tokens, .block_tokens = 16, .prefix_blocks = blocks}, pool.seen(), rng)
        ->replica;
  };
  const ReplicaId first = send(sent);
  pool.views[index(first)].waiting_tokens = 10;
  EXPECT_EQ(send({1, 2, 3, 9}), first);
  EXPECT_NE(send({7, 8, 9, 10}), first);
  pool.views[index(first)].waiting_tokens = 1000;
  EXPECT_EQ(send({1, 2, 3, 4, 11}), first);
}

}  // namespace servecast::router_test
