// A replica with a tier below its GPU's memory.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <utility>

#include "models/policy/prefix/prefix_units.h"
#include "tests/unit/serving/tiers.h"

namespace servecast::replica_tiers_test {

using testing::IsEmpty;

/// So many seconds per token; keeps what is asked for.
struct MadeUpLinks final : TransferPort {
  double token_s = 0;
  struct Started {
    Token token{};
    std::int64_t tokens = 0;
    double at_s = 0;
  };
  std::vector<Started> started{};
  std::vector<KvWrite> wanted{};

  static std::int64_t tokens(const ReplicaTransfer& transfer) {
    std::int64_t tokens = 0;
    for (const KvSource& source : std::get<KvFetch>(transfer).sources) tokens += source.tokens;
    return tokens;
  }
  double alone_s(ReplicaId, const ReplicaTransfer& transfer) const override {
    return token_s * static_cast<double>(tokens(transfer));
  }
  Token start(ReplicaId, const ReplicaTransfer& transfer, double at_s) override {
    started.push_back({Token{started.size()}, tokens(transfer), at_s});
    return started.back().token;
  }
  void write(ReplicaId, const KvWrite& write) override { wanted.push_back(write); }
};

/// A step takes a millisecond per token. 20 blocks of 10 tokens; any prompt of 100 tokens pushes another out of the
/// GPU.
struct Served {
  LinearLatency latency{0, 1e-3};
  MadeUpLinks links{};
  Listener heard{};
  Replica replica;
  std::vector<BlockHash> a = numbered(1, 10), b = numbered(101, 15);

  explicit Served(FetchRules rules, std::int64_t blocks = 20) : replica(make(latency, rules, blocks)) {
    replica.connect(links);
  }
  static Replica make(const StepLatency& latency, FetchRules rules, std::int64_t blocks) {
    auto cache = make_policy<KvCache>("paged_prefix", {{"block_tokens", 10}});
    cache->resize(10 * blocks);
    std::vector<KvTiers::Tier> tiers;
    tiers.push_back({.write = TierWrite::through, .own = store(10'000)});
    return Replica({.latency = &latency,
                    .batcher = make_policy<Batcher>("vllm_v1", {{"async_scheduling", 0}}),
                    .queue = make_policy<WaitingQueue>("fcfs"),
                    .kv_cache = std::move(cache),
                    .tiers = std::make_unique<KvTiers>(ReplicaId{0}, std::move(tiers)),
                    .fetch = rules});
  }
  /// Whatever is to be written is there.
  void write_all(double now_s) {
    for (const KvWrite& write : std::exchange(links.wanted, {}))
      if (replica.core().setup.tiers->begins_write(write, now_s))
        replica.core().setup.tiers->written(std::array{write}, now_s);
  }
  void ask(std::uint32_t id, const std::vector<BlockHash>& blocks, double at_s, bool written = true) {
    replica.advance(at_s, heard);
    if (written) write_all(at_s);
    Request r = prompt(blocks, 10 * static_cast<std::int64_t>(blocks.size()));
    r.id = RequestId{id};
    r.arrival_s = at_s;
    r.output_tokens = 1;
    EXPECT_TRUE(replica.enqueue(r, at_s, heard));
    replica.start(heard);
  }
  double first_token_s(std::uint32_t id) { return heard.done.at(RequestId{id}).first_token_s.value(); }
};

// Prompt A of 100 tokens, B of 150 pushes half of it out, A again: 50 tokens are left, 40 come from the tier, and the
// last block is computed: 10 ms after the fetch. Computed anew it would have been 50 ms.
TEST(ReplicaWithTiers, WaitsForTheFetchAndComputesTheRest) {
  Served s({.only_if_faster = false});
  s.ask(0, s.a, 0);
  s.ask(1, s.b, 1);
  s.ask(2, s.a, 2);
  ASSERT_EQ(s.links.started.size(), 1u);
  EXPECT_EQ(s.links.started[0].tokens, 40);
  EXPECT_EQ(s.links.started[0].at_s, 2);
  s.replica.advance(3, s.heard);
  EXPECT_FALSE(s.heard.done.contains(RequestId{2}));
  EXPECT_EQ(s.replica.view().waiting_requests, 1);
  EXPECT_FALSE(s.replica.empty()) << "set aside until its KV is here";
  s.replica.arrived(s.links.started[0].token, 3, s.heard);
  s.replica.advance(4, s.heard);
  EXPECT_DOUBLE_EQ(s.first_token_s(2), 3.010);
  EXPECT_EQ(s.heard.done.at(RequestId{2}).cached_tokens, 90);
  EXPECT_EQ(s.replica.core().cache().used_blocks(), 0);
  EXPECT_EQ(s.replica.core().totals.found_tokens, 50);
  EXPECT_EQ(s.replica.core().setup.tiers->fetched_tokens(0), 40);
}

// 50 ms to compute; to fetch 40 tokens and compute 10 takes 0.4 t + 10 ms: worth it below 1 ms per token, not at it.
TEST(ReplicaWithTiers, FetchesOnlyWhatIsFasterThanComputing) {
  for (const double token_s : {0.0005, 0.00099, 0.001, 0.002}) {
    Served s({.only_if_faster = true});
    s.links.token_s = token_s;
    s.ask(0, s.a, 0);
    s.ask(1, s.b, 1);
    s.ask(2, s.a, 2);
    EXPECT_EQ(s.links.started.size(), token_s < 0.001 ? 1u : 0u) << token_s;
    s.replica.advance(3, s.heard);
    if (token_s >= 0.001) {
      EXPECT_DOUBLE_EQ(s.first_token_s(2), 2.050);
    }
  }
}

// A request behind it is not held up.
TEST(ReplicaWithTiers, OthersPassWhoWaitsForAFetch) {
  Served s({.only_if_faster = false});
  s.ask(0, s.a, 0);
  s.ask(1, s.b, 1);
  s.ask(2, s.a, 2);
  s.ask(3, numbered(501, 5), 2.5);
  s.replica.advance(3, s.heard);
  EXPECT_DOUBLE_EQ(s.first_token_s(3), 2.550);
  s.replica.arrived(s.links.started[0].token, 3, s.heard);
  s.replica.advance(4, s.heard);
  EXPECT_DOUBLE_EQ(s.first_token_s(2), 3.010);
}

// B runs when A comes back: with 15 of 20 blocks taken there is no room for A's nine until B is done.
TEST(ReplicaWithTiers, WithoutRoomTheFetchStartsWhenThereIs) {
  Served s({.only_if_faster = false});
  s.ask(0, s.a, 0);
  s.ask(1, s.b, 1);
  s.ask(2, s.a, 1.1);
  EXPECT_THAT(s.links.started, IsEmpty());
  EXPECT_DOUBLE_EQ(s.replica.next_awaited_s(), 1.150) << "then a fetch may start";
  s.replica.advance(1.150, s.heard);
  s.replica.start(s.heard);
  ASSERT_EQ(s.links.started.size(), 1u);
  EXPECT_DOUBLE_EQ(s.links.started[0].at_s, 1.150);
}

TEST(ReplicaWithTiers, AClientThatGivesUpLeavesNothingBehind) {
  for (const bool during_fetch : {true, false}) {
    Served s({.only_if_faster = false});
    s.ask(0, s.a, 0);
    s.ask(1, s.b, 1);
    Request r = prompt(s.a, 100);
    r.id = RequestId{2};
    r.arrival_s = 2;
    r.output_tokens = 1;
    r.give_up_s = 2.5;
    s.replica.advance(2, s.heard);
    s.write_all(2);
    s.replica.enqueue(r, 2, s.heard);
    s.replica.start(s.heard);
    ASSERT_EQ(s.links.started.size(), 1u);
    s.replica.advance(during_fetch ? 2.6 : 2.1, s.heard);
    s.replica.arrived(s.links.started[0].token, during_fetch ? 2.6 : 2.1, s.heard);
    s.replica.advance(3, s.heard);
    EXPECT_EQ(s.heard.done.at(RequestId{2}).status,
              during_fetch ? RequestStatus::timed_out : RequestStatus::completed);
    EXPECT_EQ(s.replica.core().cache().used_blocks(), 0);
    EXPECT_EQ(s.replica.view().waiting_requests, 0);
  }
}

// A and B are to be written when they are computed, A's step ends at 0.1 s. What is not there yet is not found.
TEST(ReplicaWithTiers, WritesWhatAStepHasComputedWhenItHasEnded) {
  Served s({.only_if_faster = false});
  s.ask(0, s.a, 0);
  s.replica.advance(0.0999, s.heard);
  EXPECT_THAT(s.links.wanted, IsEmpty());
  s.replica.advance(0.1001, s.heard);
  ASSERT_EQ(s.links.wanted.size(), 10u);
  s.ask(1, s.b, 1, false);
  s.ask(2, s.a, 2, false);
  EXPECT_THAT(s.links.started, IsEmpty());
  s.write_all(3);
  s.ask(3, s.b, 3);
  s.ask(4, s.a, 4);
  EXPECT_FALSE(s.links.started.empty());
  EXPECT_FALSE(s.replica.core().setup.tiers->begins_write(
      {.unit = {PrefixName{}.then(s.a.front()).value(), 10, ReplicaId{0}}}, 4))
      << "it is there, nothing moves";
}

// As above, but the ten tokens are computed behind the fetch: the step starts at 2 s and takes 10 ms, 2.5 ms a layer.
// A fetch of 100 ms is waited for, and then the last layer is left; of one of 4 ms the first layer takes 1 ms, and
// then there are 10 ms to compute.
TEST(ReplicaWithTiers, LayerWiseAStepEndsWhenItsLayersHaveCome) {
  for (const auto& [fetched_s, first_token_s] : {std::pair{2.1, 2.1025}, {2.004, 2.011}}) {
    Served s({.only_if_faster = false, .layers = 4});
    s.ask(0, s.a, 0);
    s.ask(1, s.b, 1);
    s.ask(2, s.a, 2);
    ASSERT_EQ(s.links.started.size(), 1u);
    EXPECT_EQ(s.replica.view().waiting_requests, 0);
    EXPECT_EQ(s.replica.next_due_s(), Replica::infinity);
    s.replica.advance(fetched_s, s.heard);
    s.replica.arrived(s.links.started[0].token, fetched_s, s.heard);
    s.replica.advance(4, s.heard);
    EXPECT_DOUBLE_EQ(s.first_token_s(2), first_token_s);
    EXPECT_EQ(s.heard.done.at(RequestId{2}).cached_tokens, 90);
    EXPECT_EQ(s.replica.core().cache().used_blocks(), 0);
  }
}

// 50 ms to compute all; layer by layer, fetching 40 tokens and computing 10 takes the longer of 40 t + 2.5 ms and
// 10 t + 10 ms: worth it below 1.1875 ms per token.
TEST(ReplicaWithTiers, LayerWiseMoreIsWorthFetching) {
  for (const std::int64_t layers : {0, 4})
    for (const double token_s : {0.0009, 0.0011, 0.0012}) {
      Served s({.only_if_faster = true, .layers = layers});
      s.links.token_s = token_s;
      s.ask(0, s.a, 0);
      s.ask(1, s.b, 1);
      s.ask(2, s.a, 2);
      EXPECT_EQ(s.links.started.size(), token_s < (layers > 0 ? 0.0011875 : 0.001) ? 1u : 0u) << token_s;
    }
}

// Random prompts that share beginnings, fetches of random length, memory for two or three of them, clients that give
// up: no request is lost and no block stays taken.
TEST(ReplicaWithTiers, NobodyIsLostUnderRandomLoad) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    Rng rng(seed, "tiers");
    Served s({.only_if_faster = false, .on_arrival = seed % 2 == 0, .layers = seed % 3 == 0 ? 4 : 0}, 25);
    std::vector<std::vector<BlockHash>> prompts;
    for (BlockHash i = 0; i < 12; ++i) prompts.push_back(numbered(100 * i, 3 + rng.below(16)));
    struct Flight {
      double done_s;
      Token token;
    };
    std::vector<Flight> flights;
    std::size_t seen = 0;
    const auto run_to = [&](double until_s) {
      for (;;) {
        for (; seen < s.links.started.size(); ++seen)
          flights.push_back({s.links.started[seen].at_s + 0.001 + rng.exponential(0.1), s.links.started[seen].token});
        const auto first = std::ranges::min_element(flights, {}, &Flight::done_s);
        const double flight_s = first == flights.end() ? Replica::infinity : first->done_s;
        const double at_s = std::min({until_s, flight_s, s.replica.next_due_s()});
        if (at_s == Replica::infinity) return;
        s.replica.advance(at_s, s.heard);
        if (flight_s <= at_s) {
          s.replica.arrived(first->token, at_s, s.heard);
          flights.erase(first);
        }
        s.replica.start(s.heard);
        s.write_all(at_s);
        expect_right_sums(s.replica);
        if (at_s >= until_s) return;
      }
    };
    double at_s = 0;
    for (std::uint32_t i = 0; i < 300; ++i) {
      run_to(at_s += rng.exponential(0.1));
      const auto& blocks = prompts[rng.below(prompts.size())];
      Request r = prompt(blocks, 10 * static_cast<std::int64_t>(blocks.size()));
      r.id = RequestId{i};
      r.arrival_s = at_s;
      r.output_tokens = 1 + static_cast<std::int64_t>(rng.below(40));
      if (rng.uniform() < 0.2) r.give_up_s = at_s + rng.exponential(0.5);
      ASSERT_TRUE(s.replica.enqueue(r, at_s, s.heard));
      s.replica.start(s.heard);
    }
    run_to(Replica::infinity);
    ASSERT_EQ(s.heard.done.size(), 300u) << "seed " << seed;
    EXPECT_EQ(s.replica.core().cache().used_blocks(), 0) << "seed " << seed;
    EXPECT_EQ(s.replica.view().waiting_requests, 0);
    EXPECT_EQ(s.replica.view().waiting_tokens, 0);
    EXPECT_GT(s.links.started.size(), 20u);
  }
}

}  // namespace servecast::replica_tiers_test
