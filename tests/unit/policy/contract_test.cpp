// What every registered policy must keep, whatever it is: a new policy file is covered without a new test.
#include "tests/unit/policy/contract.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "models/policy/admission.h"
#include "models/policy/kv_cache.h"
#include "models/policy/migration.h"
#include "models/policy/placement.h"
#include "models/policy/queue.h"
#include "models/policy/router.h"
#include "tests/unit/policy/made_up_pool.h"

namespace servecast::contract_test {

class AnyPlacement : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(All, AnyPlacement, testing::ValuesIn(Registry<Placement>::names()), print_name);

TEST_P(AnyPlacement, RepeatsAndStaysInItsRanges) {
  const auto one = make<Placement>(GetParam());
  const auto other = make<Placement>(GetParam());
  bool moves = false;
  for (std::uint32_t i = 0; i < 50; ++i) {
    const Request request{.id = RequestId{i}, .prompt_tokens = 1 + i * 97, .output_tokens = 2};
    EXPECT_EQ(one->move(request), other->move(request));
    moves = moves || one->move(request) != KvMove::stays;
  }
  EXPECT_EQ(moves, GetParam() != "colocated" && !one->sm_partition());
  EXPECT_GE(one->waiting_blocks_fraction(), 0);
  EXPECT_LE(one->waiting_blocks_fraction(), 1);
  EXPECT_GE(one->setup_s(), 0);
}

class AnyMigration : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(All, AnyMigration, testing::ValuesIn(Registry<Migration>::names()), print_name);

TEST_P(AnyMigration, PairsReplicasThatItWasShownEachOnceAndRepeats) {
  const auto one = make<Migration>(GetParam());
  const auto other = make<Migration>(GetParam());
  Rng rng(1, "views");
  bool any = false;
  for (int i = 0; i < 200; ++i) {
    std::vector<ReplicaView> views(rng.below(6));
    for (ReplicaView& view : views)
      view = {.waiting_tokens = static_cast<std::int64_t>(rng.below(900)),
              .running_requests = static_cast<std::int64_t>(rng.below(30)),
              .used_blocks = static_cast<std::int64_t>(rng.below(101)),
              .total_blocks = 100};
    const auto pairs = one->pairs(views, 16);
    EXPECT_EQ(pairs, other->pairs(views, 16));
    any = any || !pairs.empty();
    std::vector<std::size_t> who;
    for (const MigrationPair& pair : pairs) who.insert(who.end(), {pair.from, pair.to});
    std::ranges::sort(who);
    EXPECT_EQ(std::ranges::adjacent_find(who), who.end());
    EXPECT_TRUE(who.empty() || who.back() < views.size());
  }
  EXPECT_EQ(any, GetParam() != "none");
  EXPECT_GT(one->check_every_s(), 0);
  EXPECT_GE(one->last_stage_blocks(), 1);
}

class AnyRouter : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(All, AnyRouter, testing::ValuesIn(Registry<Router>::names()), print_name);

std::vector<ReplicaView> some_views() {
  return {{.id = ReplicaId{3}, .total_blocks = 100},
          {.id = ReplicaId{5}, .waiting_requests = 2, .waiting_tokens = 900, .used_blocks = 40, .total_blocks = 100},
          {.id = ReplicaId{8}, .running_requests = 9, .used_blocks = 70, .total_blocks = 100}};
}

// Some of ten replicas serve, at each time others; requests share beginnings and belong to sessions.
TEST_P(AnyRouter, PicksOneThatServesWhileReplicasComeAndGo) {
  const auto router = make<Router>(GetParam());
  Rng rng(1, "membership");
  Rng own(1, "router");
  std::vector<BlockHash> blocks(8);
  for (std::uint32_t i = 0; i < 400; ++i) {
    std::vector<ReplicaView> views;
    for (std::uint32_t id = 0; id < 10; ++id)
      if (Rng(i / 7, "serves" + std::to_string(id)).uniform() < 0.4)
        views.push_back(
            {.id = ReplicaId{id}, .running_requests = static_cast<std::int64_t>(rng.below(9)), .total_blocks = 100});
    if (views.empty()) continue;
    std::iota(blocks.begin(), blocks.end(), rng.below(5) * 100);
    const Request request{.id = RequestId{i},
                          .arrival_s = i * 1.0,
                          .prompt_tokens = 128,
                          .output_tokens = 2,
                          .session = SessionId{1 + static_cast<std::uint32_t>(rng.below(20))},
                          .block_tokens = 16,
                          .prefix_blocks = blocks};
    const MadeUpPool pool(views);
    const auto picked = router->pick(request, {pool.views, {}, pool, nullptr, i / 7}, own);
    if (!picked) continue;
    EXPECT_NE(std::ranges::find(views, picked->replica, &ReplicaView::id), views.end()) << "request " << i;
    if (picked->copy_tokens > 0) {
      EXPECT_NE(std::ranges::find(views, picked->copy_from, &ReplicaView::id), views.end()) << "request " << i;
    }
  }
}

TEST_P(AnyRouter, PicksAReplicaItWasShownAndRepeats) {
  const MadeUpPool pool(some_views());
  const auto picks = [&] {
    const auto router = make<Router>(GetParam());
    Rng rng(1, "router");
    std::vector<ReplicaId> out;
    for (std::uint32_t i = 0; i < 50; ++i)
      out.push_back(router->pick({.id = RequestId{i}, .prompt_tokens = 1 + i * 37 % 400}, pool.seen(), rng)->replica);
    return out;
  };
  const std::vector<ReplicaId> first = picks();
  for (ReplicaId id : first) EXPECT_NE(std::ranges::find(pool.views, id, &ReplicaView::id), pool.views.end());
  EXPECT_EQ(first, picks());
}

TEST_P(AnyRouter, ServesAPoolOfOne) {
  const MadeUpPool pool({{.id = ReplicaId{4}, .total_blocks = 10}});
  Rng rng(1, "router");
  EXPECT_EQ(make<Router>(GetParam())->pick({.prompt_tokens = 1}, pool.seen(), rng), ReplicaId{4});
}

TEST_P(AnyRouter, ThatSaysItNeverLooksDoesNotLook) {
  const auto looks_at = [&](const std::vector<ReplicaView>& views) {
    const MadeUpPool pool(views);
    const auto router = make<Router>(GetParam());
    Rng rng(1, "router");
    std::vector<ReplicaId> out;
    for (std::uint32_t i = 0; i < 50; ++i)
      out.push_back(router->pick({.id = RequestId{i}}, pool.seen(), rng)->replica);
    return out;
  };
  if (make<Router>(GetParam())->reads_state()) GTEST_SKIP() << "reads state";
  const std::vector<ReplicaView> blank = {{.id = ReplicaId{3}}, {.id = ReplicaId{5}}, {.id = ReplicaId{8}}};
  EXPECT_EQ(looks_at(some_views()), looks_at(blank));
}

// Whatever a router remembers, told only of what changed it decides as one that sees the pool for the first time.
TEST_P(AnyRouter, ThatIsToldWhatChangedDecidesAsOneThatLooksAtEverything) {
  if (GetParam() == "round_robin" || GetParam() == "prefix_cache_aware" || GetParam() == "conductor")
    GTEST_SKIP() << "decides by what it did before";
  const auto router = make<Router>(GetParam());
  MadeUpPool pool = idle_pool(37);
  std::vector<ReplicaView>& views = pool.views;
  Rng changes(4, "changes");
  std::vector<std::uint32_t> changed;
  for (int round = 0; round < 500; ++round) {
    const Request request{.prompt_tokens = 10};
    Rng rng(static_cast<std::uint64_t>(round), "router");
    Rng same(static_cast<std::uint64_t>(round), "router");
    ASSERT_EQ(router->pick(request, pool.seen(changed), rng),
              make<Router>(GetParam())->pick(request, pool.seen(), same));
    changed.clear();
    for (std::uint64_t n = changes.below(4); n > 0; --n) {
      const auto i = static_cast<std::uint32_t>(changes.below(views.size()));
      views[i].waiting_requests = static_cast<std::int64_t>(changes.below(5));
      views[i].waiting_tokens = 100 * views[i].waiting_requests;
      views[i].running_requests = static_cast<std::int64_t>(changes.below(5));
      views[i].used_blocks = static_cast<std::int64_t>(changes.below(100));
      changed.push_back(i);
    }
  }
}

class AnyAdmission : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(All, AnyAdmission, testing::ValuesIn(Registry<Admission>::names()), print_name);

TEST_P(AnyAdmission, TakesOnWhoComesFirstAndRepeats) {
  const MadeUpPool pool(some_views());
  const auto decisions = [&] {
    const auto gate = make<Admission>(GetParam());
    std::vector<bool> out{gate->admits({.prompt_tokens = 10}, idle_pool(3).seen())};
    for (std::uint32_t i = 0; i < 50; ++i)
      out.push_back(gate->admits({.id = RequestId{i}, .arrival_s = 0.3 * i, .prompt_tokens = 10}, pool.seen()));
    return out;
  };
  const std::vector<bool> first = decisions();
  EXPECT_TRUE(first.front());
  EXPECT_EQ(first, decisions());
}

TEST_P(AnyAdmission, ThatSaysItNeverLooksDoesNotLook) {
  if (make<Admission>(GetParam())->reads_state()) GTEST_SKIP() << "reads state";
  const auto gate = make<Admission>(GetParam());
  const auto twin = make<Admission>(GetParam());
  const MadeUpPool busy(some_views());
  const MadeUpPool blank = idle_pool(3);
  for (std::uint32_t i = 0; i < 50; ++i) {
    const Request request{.id = RequestId{i}, .arrival_s = 0.3 * i, .prompt_tokens = 10};
    EXPECT_EQ(gate->admits(request, busy.seen()), twin->admits(request, blank.seen()));
  }
}

class AnyKvCache : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(All, AnyKvCache, testing::ValuesIn(Registry<KvCache>::names()), print_name);

TEST_P(AnyKvCache, GivesBackWhatItGave) {
  const auto cache = make<KvCache>(GetParam());
  cache->resize(10'000);
  const std::int64_t all = cache->free_blocks();
  EXPECT_EQ(all, cache->total_blocks());
  Rng rng(7, "cache");
  struct Held {
    Request request;
    KvHeld held{};
  };
  std::vector<Held> holders;
  for (std::uint32_t i = 0; i < 2'000; ++i) {
    if (holders.size() < 30) {
      Held h{.request = {.id = RequestId{i}, .prompt_tokens = 1 + static_cast<std::int64_t>(rng.below(900))}};
      const std::int64_t before = cache->free_blocks();
      if (cache->hold(h.request, h.held, h.request.prompt_tokens, true)) {
        EXPECT_GE(h.held.tokens, h.request.prompt_tokens);
        holders.push_back(h);
      } else {
        EXPECT_EQ(cache->free_blocks(), before) << "a refusal changes nothing";
      }
    }
    if (!holders.empty() && rng.uniform() < 0.4) {
      const std::size_t victim = rng.below(holders.size());
      cache->release(holders[victim].request, holders[victim].held);
      holders.erase(holders.begin() + static_cast<std::ptrdiff_t>(victim));
    }
    std::int64_t held = 0;
    for (const Held& h : holders) held += h.held.blocks;
    ASSERT_EQ(cache->used_blocks(), held);
    ASSERT_GE(cache->free_blocks(), 0);
  }
  for (const Held& h : holders) cache->release(h.request, h.held);
  EXPECT_EQ(cache->free_blocks(), all);
}

TEST_P(AnyKvCache, MoreTokensNeverTakeFewerBlocks) {
  const auto cache = make<KvCache>(GetParam());
  cache->resize(10'000);
  const Request request{.prompt_tokens = 300, .output_tokens = 2'000};
  EXPECT_EQ(cache->blocks_for(request, 0), 0);
  for (std::int64_t tokens = 1; tokens < 3'000; ++tokens)
    EXPECT_GE(cache->blocks_for(request, tokens), cache->blocks_for(request, tokens - 1));
}

class AnyQueue : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(All, AnyQueue, testing::ValuesIn(Registry<WaitingQueue>::names()), print_name);

Request some_request(std::uint32_t id, Rng& rng) {
  return {.id = RequestId{id},
          .arrival_s = id * 0.1,
          .prompt_tokens = 1 + static_cast<std::int64_t>(rng.below(900)),
          .output_tokens = 1 + static_cast<std::int64_t>(rng.below(300)),
          .client = ClientId{static_cast<std::uint32_t>(rng.below(4))},
          .priority = static_cast<std::int32_t>(rng.below(3)),
          .deadline_s = id * 0.1 + rng.uniform()};
}

TEST_P(AnyQueue, GivesOutWhatWasPutInOnceEach) {
  const auto queue = make<WaitingQueue>(GetParam());
  Rng rng(3, "queue");
  std::map<Ticket, Request> waiting;
  std::uint32_t next = 0;
  for (int round = 0; round < 3'000; ++round) {
    const std::uint64_t what = rng.below(6);
    if (what < 3) {
      const Ticket ticket{next};
      const Request request = some_request(next++, rng);
      if (what == 0)
        queue->push_front(ticket, request);
      else
        queue->push(ticket, request);
      waiting[ticket] = request;
    } else if (!waiting.empty()) {
      const Ticket ticket = what == 3
                                ? std::next(waiting.begin(), static_cast<long>(rng.below(waiting.size())))->first
                                : queue->front();
      ASSERT_TRUE(waiting.contains(ticket));
      queue->erase(ticket, waiting.at(ticket));
      queue->served(waiting.at(ticket), waiting.at(ticket).prompt_tokens, static_cast<std::int64_t>(rng.below(50)));
      waiting.erase(ticket);
    }
    ASSERT_EQ(queue->size(), waiting.size());
  }
}

TEST_P(AnyQueue, PutsAPreemptedRequestBeforeItsEquals) {
  const auto queue = make<WaitingQueue>(GetParam());
  const Request request{.prompt_tokens = 10, .output_tokens = 10};
  for (std::uint32_t i = 0; i < 3; ++i) queue->push(Ticket{i}, request);
  EXPECT_EQ(queue->front(), Ticket{0});
  queue->erase(Ticket{0}, request);
  queue->push_front(Ticket{0}, request);
  queue->push_front(Ticket{7}, request);
  EXPECT_EQ(queue->front(), Ticket{7});
}

}  // namespace servecast::contract_test
