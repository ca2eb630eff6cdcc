// Sequences that go from one replica to another.
#include <gtest/gtest.h>

#include "models/base/rng.h"
#include "tests/unit/serving/fixture.h"
#include "tests/unit/serving/recount.h"

namespace servecast::moves_test {

struct Moves final : ReplicaListener {
  struct Prompt {
    Slot slot{};
    MovingSequence sequence{};
  };
  std::vector<Prompt> prompts{};
  std::vector<std::pair<RequestId, Slot>> have_room{};
  std::map<RequestId, RequestRecord> done{};

  void request_done(const Request& r, const RequestRecord& record) override {
    EXPECT_FALSE(done.contains(r.id)) << "told twice";
    done[r.id] = record;
  }
  void request_waited(PoolId, double, double) override {}
  void request_ran(PoolId, double, double) override {}
  void token_gap(PoolId, double, std::int64_t) override {}
  void step_done(const StepRecord&, std::span<const StepMember>) override {}
  void prompt_done(ReplicaId, Slot at, const MovingSequence& sequence) override { prompts.push_back({at, sequence}); }
  void import_has_room(RequestId id, Slot at, std::int64_t) override { have_room.emplace_back(id, at); }
  bool wants_members(double) const override { return false; }
};

Request asks(std::uint32_t id, double at_s, std::int64_t prompt, std::int64_t output, double give_up_s) {
  Request r;
  r.id = RequestId{id};
  r.arrival_s = at_s;
  r.prompt_tokens = prompt;
  r.output_tokens = output;
  r.give_up_s = give_up_s;
  r.awaited = id % 2 == 0;
  return r;
}

// Its client would have given up at 10 s; by then it is elsewhere, and this replica has nothing left to give up.
TEST(Moves, WhoIsRecalledIsNotGivenUpHere) {
  const LinearLatency latency(1);
  Replica replica = make_replica(latency, {.blocks = 100});
  Moves heard;
  const Request r = asks(0, 0, 16, 100, 10);
  replica.imports().expect();
  const Slot at = replica.imports().bring({.request = r, .tokens = 16, .made = 1}, std::nullopt, 1);
  replica.start(heard);
  ASSERT_EQ(heard.have_room.size(), 1u);
  EXPECT_FALSE(replica.empty());
  EXPECT_TRUE(replica.imports().recall(at, 2, heard));
  EXPECT_TRUE(replica.empty());
  expect_right_sums(replica);
  replica.advance(20, heard);
  EXPECT_TRUE(heard.done.empty());
  EXPECT_EQ(replica.next_due_s(), Replica::infinity);
}

// Prompts on one replica, decodes on the other, with memory for a few, clients that give up and KV that is lost on
// its way: every request is reported once, all books are right at every moment, and no block stays taken.
TEST(Moves, BooksAreRightUnderRandomLoad) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    Rng rng(seed, "moves");
    const LinearLatency latency(1.0 / 32, 1e-3);
    Replica from = make_replica(latency, {.budget = 128, .blocks = 60});
    Replica to = make_replica(latency, {.max_num_seqs = 6, .blocks = 60});
    Moves heard;
    std::map<RequestId, Slot> exported, imported;
    std::map<RequestId, Request> whole;
    std::int64_t lost = 0;
    const auto hand_over = [&](double now_s) {
      for (Moves::Prompt& p : std::exchange(heard.prompts, {})) {
        p.sequence.request = whole.at(p.sequence.request.id);
        exported[p.sequence.request.id] = p.slot;
        to.imports().expect();
        imported[p.sequence.request.id] = to.imports().bring(p.sequence, std::nullopt, now_s);
      }
      to.start(heard);
      for (const auto& [id, at] : std::exchange(heard.have_room, {})) {
        if (!imported.contains(id)) continue;
        if (rng.uniform() < 0.1)
          lost += to.imports().recall(at, now_s, heard) ? 1 : 0;
        else
          to.imports().kv_received(at, 0.0, now_s);
        imported.erase(id);
      }
      for (auto it = exported.begin(); it != exported.end();)
        if (!imported.contains(it->first)) {
          from.exports().release(it->second, now_s);
          it = exported.erase(it);
        } else if (heard.done.contains(it->first)) {  // it gave up while it waited for room
          imported.erase(it->first);
        } else {
          ++it;
        }
    };
    const auto run_to = [&](double until_s) {
      for (;;) {
        const double at_s = std::min({until_s, from.next_due_s(), to.next_due_s()});
        if (at_s == Replica::infinity) return;
        from.advance(at_s, heard);
        to.advance(at_s, heard);
        from.start(heard);
        hand_over(at_s);
        expect_right_sums(from);
        expect_right_sums(to);
        if (at_s >= until_s) return;
      }
    };
    double at_s = 0;
    for (std::uint32_t i = 0; i < 200; ++i) {
      run_to(at_s += rng.exponential(0.2));
      const double give_up_s = rng.uniform() < 0.3 ? at_s + rng.exponential(1) : Replica::infinity;
      const auto upto = [&](std::uint64_t n) { return 1 + static_cast<std::int64_t>(rng.below(n)); };
      const Request r = asks(i, at_s, upto(200), 1 + upto(60), give_up_s);
      whole[r.id] = r;
      Request prompt = r;
      prompt.output_tokens = 1;
      ASSERT_TRUE(from.enqueue(prompt, at_s, heard, Serve::prompt));
    }
    run_to(Replica::infinity);
    EXPECT_EQ(static_cast<std::int64_t>(heard.done.size()) + lost, 200) << "seed " << seed;
    EXPECT_GT(lost, 0) << "seed " << seed;
    for (const Replica* replica : {&from, &to}) {
      EXPECT_TRUE(replica->empty()) << "seed " << seed;
      EXPECT_EQ(replica->core().cache().used_blocks(), 0) << "seed " << seed;
    }
  }
}

}  // namespace servecast::moves_test
