// Lives of replicas, without an engine: loads end when the test says so.
#include "sim/engine/cluster/replica_lifecycle.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

namespace servecast::replica_lifecycle_test {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

ReplicaAt at(std::size_t replica) { return {0, replica}; }

/// Writes down the calls to replicas. Those that are busy have work left.
struct MadeReplicas final : ReplicaLifecycle::Callbacks {
  void note(const char* what, const ReplicaAt& who) { told.push_back(what + std::to_string(who.replica)); }
  void make_ready(const ReplicaAt& who, double) override { note("ready ", who); }
  void serve(const ReplicaAt& who, double) override { note("serve ", who); }
  void withdraw(const ReplicaAt& who) override { note("withdraw ", who); }
  void crash(const ReplicaAt& who, double) override { note("crash ", who); }
  void switch_off(const ReplicaAt& who, double) override { note("off ", who); }
  bool is_done(const ReplicaAt& who, double) override { return !busy.contains(who.replica); }
  double next_due_s(const ReplicaAt& who) const override { return busy.contains(who.replica) ? 7 : 1e9; }
  std::int64_t requests(const ReplicaAt& who, double) override { return busy.contains(who.replica) ? 1 : 0; }
  std::vector<std::string> take() { return std::exchange(told, {}); }
  std::vector<std::string> told{};
  std::set<std::size_t> busy{};
};

struct MadeLoads final : ReplicaLifecycle::Loads {
  void start(const ReplicaAt& who, double, std::function<void(double)> loaded) override {
    begun.push_back(std::move(loaded));
    who_loads.push_back(who.replica);
  }
  void cancel(const ReplicaAt& who, double) override { cancelled.push_back(who.replica); }
  double image_s(const ReplicaAt&) const override { return 4; }
  std::vector<std::function<void(double)>> begun{};
  std::vector<std::size_t> who_loads{};
  std::vector<std::size_t> cancelled{};
};

/// One pool.
struct Made {
  explicit Made(const LifeRules& rules) : lives({rules}, replicas) {
    lives.begin(loads);
    replicas.told.clear();  // those that are off at the start
  }
  void want(std::int64_t count, double now_s) {
    lives.want(0, count);
    lives.settle(now_s);
  }
  std::vector<std::string> names() const {
    std::vector<std::string> all;
    for (std::size_t i = 0; i < size; ++i) all.emplace_back(lives.name(at(i)));
    return all;
  }
  MadeReplicas replicas{};
  MadeLoads loads{};
  ReplicaLifecycle lives;
  std::size_t size = 2;
};

/// Two replicas that an autoscaler has, of which one serves: 3 s for a machine, 2 s for the engine.
LifeRules scaled(std::int64_t warm = 0) {
  return {.replicas = 2,
          .standing = false,
          .scaling = {.start_replicas = 1, .provision_s = 3, .warm_replicas = warm},
          .start = {.phases = {.engine_init_s = 2}, .wake_s = 0.5}};
}

LifeRules standing(bool cold = false) {
  return {.replicas = 2, .cold = cold, .start = {.phases = {.engine_init_s = 2}}};
}

// Wanted at 10, its machine is there at 13, its weights at 20, its engine at 22; it is wanted no longer at 30, done
// at 33: rent for 23 s.
TEST(ReplicaLifecycle, AStartTakesMachineWeightsAndEngineAndAnEndWaitsForItsRequests) {
  Made m(scaled());
  m.want(2, 10);
  EXPECT_THAT(m.names(), ElementsAre("serving", "starting"));
  EXPECT_EQ(m.lives.next_s(), 13);
  EXPECT_THAT(m.loads.who_loads, IsEmpty());
  m.lives.act_due(13);
  EXPECT_THAT(m.loads.who_loads, ElementsAre(1));
  m.loads.begun[0](20);
  EXPECT_EQ(m.lives.next_s(), 22);
  m.lives.act_due(22);
  EXPECT_THAT(m.replicas.take(), ElementsAre("serve 1"));
  EXPECT_TRUE(m.lives.serves(at(1)));
  EXPECT_THAT(m.lives.totals(0).start_s, ElementsAre(12));
  EXPECT_THAT(m.lives.totals(0).cold_starts,
              ElementsAre(StartTimes{.provision_s = 3, .image_s = 4, .weights_s = 3, .engine_init_s = 2}));

  m.replicas.busy = {0, 1};  // as many requests on each: the highest number goes
  m.want(1, 30);
  EXPECT_THAT(m.names(), ElementsAre("serving", "draining"));
  EXPECT_FALSE(m.lives.serves(at(1)));
  EXPECT_TRUE(m.lives.drains(at(1)));
  EXPECT_EQ(m.lives.next_drained_s(), 7);
  EXPECT_FALSE(m.lives.retire_drained(31));
  m.replicas.busy = {0};
  EXPECT_TRUE(m.lives.retire_drained(33));
  EXPECT_THAT(m.replicas.take(), ElementsAre("withdraw 1", "off 1"));
  EXPECT_THAT(m.names(), ElementsAre("serving", "off"));
  EXPECT_THAT(m.lives.rents(at(1)), ElementsAre(Pair(10, 33)));
  EXPECT_THAT(m.lives.totals(0).drain_s, ElementsAre(3));
}

// It breaks at 10 and again, while it loads, at 25; the first load's end is of no use to the second one, which ends
// at 35. It serves at 37: 27 s without.
TEST(ReplicaLifecycle, ABreakWhileItLoadsBreaksOffTheLoadAndItsEndIsIgnored) {
  Made m(standing());
  EXPECT_TRUE(m.lives.broken(at(0), 10));
  EXPECT_THAT(m.names(), ElementsAre("broken", "serving"));
  EXPECT_TRUE(m.lives.waits_for_parts(at(0)));
  EXPECT_TRUE(m.lives.whole(at(0), 20));
  EXPECT_FALSE(m.lives.whole(at(0), 20)) << "it has started";
  EXPECT_THAT(m.names(), ElementsAre("starting", "serving"));
  EXPECT_FALSE(m.lives.broken(at(0), 25)) << "nothing was there to stop";
  EXPECT_THAT(m.loads.cancelled, ElementsAre(0));
  m.loads.begun[0](26);
  EXPECT_THAT(m.names(), ElementsAre("broken", "serving"));
  EXPECT_TRUE(m.lives.whole(at(0), 30));
  m.loads.begun[0](31);
  EXPECT_EQ(m.lives.next_s(), std::numeric_limits<double>::infinity());
  m.loads.begun[1](35);
  m.lives.act_due(37);
  EXPECT_THAT(m.replicas.take(), ElementsAre("crash 0", "serve 0"));
  EXPECT_THAT(m.lives.replica_and_down_s(0, 100), Pair(200, 27));
}

TEST(ReplicaLifecycle, ABreakWhileTheEngineStartsMakesTheStartVoid) {
  Made m(standing());
  m.lives.broken(at(0), 10);
  m.lives.whole(at(0), 11);
  m.loads.begun[0](12);
  EXPECT_EQ(m.lives.next_s(), 14);
  m.lives.broken(at(0), 13);
  m.replicas.take();
  m.lives.act_due(14);
  EXPECT_THAT(m.replicas.take(), IsEmpty());
  EXPECT_THAT(m.names(), ElementsAre("broken", "serving"));
}

// Cold replicas take requests at once. The first weights of one that has stopped come in vain.
TEST(ReplicaLifecycle, AColdReplicaServesBeforeItsWeightsAreThereAndAStoppedOneHearsNothingOfThem) {
  Made m(standing(true));
  EXPECT_THAT(m.loads.who_loads, ElementsAre(0, 1));
  EXPECT_TRUE(m.lives.serves(at(0)));
  EXPECT_THAT(m.names(), ElementsAre("starting", "starting"));
  EXPECT_TRUE(m.lives.broken(at(0), 1));
  m.loads.begun[0](2);
  m.loads.begun[1](2);
  EXPECT_THAT(m.replicas.take(), ElementsAre("crash 0", "ready 1"));
  EXPECT_THAT(m.names(), ElementsAre("broken", "serving"));
  EXPECT_THAT(m.loads.cancelled, IsEmpty());
}

TEST(ReplicaLifecycle, ADoomedOneThatNobodyReplacesKeepsWhatItHasAndGetsNoMore) {
  Made m(standing());
  m.lives.doomed(at(0), 5);
  EXPECT_THAT(m.replicas.take(), ElementsAre("withdraw 0"));
  EXPECT_FALSE(m.lives.serves(at(0)));
  EXPECT_THAT(m.names(), ElementsAre("serving", "serving"));
  EXPECT_FALSE(m.lives.waits_for_parts(at(0)));
  EXPECT_TRUE(m.lives.broken(at(0), 8));
  m.lives.whole(at(0), 9);
  m.loads.begun[0](10);
  m.lives.act_due(12);
  EXPECT_TRUE(m.lives.serves(at(0)));
  EXPECT_THAT(m.lives.replica_and_down_s(0, 20), Pair(40, 4));
}

// The one that drains goes on to drain, and another one comes for it.
TEST(ReplicaLifecycle, WantedAgainWhileOneDrainsAnotherStarts) {
  Made m(scaled());
  m.replicas.busy = {0};
  m.want(0, 10);
  EXPECT_THAT(m.names(), ElementsAre("draining", "off"));
  m.want(1, 11);
  EXPECT_THAT(m.names(), ElementsAre("draining", "starting"));
  m.want(2, 12);
  EXPECT_THAT(m.names(), ElementsAre("draining", "starting")) << "it is not taken back";
  EXPECT_EQ(m.lives.totals(0).starts, 1);
  m.replicas.busy.clear();
  EXPECT_TRUE(m.lives.retire_drained(13));
  m.lives.settle(13);
  EXPECT_THAT(m.names(), ElementsAre("starting", "starting"));
  EXPECT_EQ(m.lives.totals(0).starts, 2);
}

// It stops with what it had. It is not retired later, and not started before it is whole.
TEST(ReplicaLifecycle, ABreakWhileItDrainsEndsItAndItsRent) {
  Made m(scaled());
  m.replicas.busy = {0};
  m.want(0, 10);
  EXPECT_TRUE(m.lives.broken(at(0), 12));
  EXPECT_THAT(m.replicas.take(), ElementsAre("withdraw 0", "crash 0"));
  EXPECT_THAT(m.names(), ElementsAre("broken", "off"));
  EXPECT_THAT(m.lives.rents(at(0)), ElementsAre(Pair(0, 12)));
  m.replicas.busy.clear();
  EXPECT_FALSE(m.lives.retire_drained(13));
  EXPECT_EQ(m.lives.totals(0).stops, 0);
  EXPECT_FALSE(m.lives.waits_for_parts(at(0))) << "none is wanted";
  m.want(2, 14);
  EXPECT_THAT(m.names(), ElementsAre("broken", "starting"));
  EXPECT_TRUE(m.lives.waits_for_parts(at(0))) << "two are wanted, and one is whole";
  EXPECT_FALSE(m.lives.whole(at(0), 15));
  m.lives.settle(15);
  EXPECT_THAT(m.names(), ElementsAre("starting", "starting"));
}

// Rented from the first moment, it counts as one that stopped; the wait for its machine is of no use.
TEST(ReplicaLifecycle, ABreakBeforeItsMachineIsThereIsAStopAndTheWaitIsVoid) {
  Made m(scaled());
  m.want(2, 10);
  EXPECT_TRUE(m.lives.broken(at(1), 11));
  m.lives.act_due(13);
  EXPECT_THAT(m.loads.who_loads, IsEmpty());
  EXPECT_THAT(m.lives.rents(at(1)), ElementsAre(Pair(10, 11)));
}

TEST(ReplicaLifecycle, AStartThatIsWantedNoLongerIsBrokenOff) {
  Made m(scaled());
  m.want(2, 10);
  m.lives.act_due(13);
  m.want(1, 15);
  EXPECT_THAT(m.loads.cancelled, ElementsAre(1));
  EXPECT_THAT(m.replicas.take(), IsEmpty()) << "it never was there";
  m.loads.begun[0](20);
  m.lives.act_due(22);
  EXPECT_THAT(m.names(), ElementsAre("serving", "off"));
  EXPECT_THAT(m.lives.rents(at(1)), ElementsAre(Pair(10, 15)));
}

// Replica 1 is the reserve. It serves 0.5 s after it is wanted, and goes back to the reserve when it has drained.
TEST(ReplicaLifecycle, TheReserveWakesAndIsFilledByWhoDrains) {
  Made m(scaled(1));
  EXPECT_THAT(m.names(), ElementsAre("serving", "warm"));
  m.want(2, 10);
  m.lives.act_due(10.5);
  EXPECT_THAT(m.replicas.take(), ElementsAre("serve 1"));
  m.replicas.busy = {0};
  m.want(1, 20);
  EXPECT_THAT(m.replicas.take(), ElementsAre("withdraw 1"));
  EXPECT_THAT(m.names(), ElementsAre("serving", "warm"));
  EXPECT_THAT(m.lives.rents(at(1)), IsEmpty()) << "it is still paid for";
}

// One that is to break is not kept in reserve, be it there already or on its way there.
TEST(ReplicaLifecycle, ADoomedOneLeavesTheReserveOrNeverGetsThere) {
  Made m(scaled(1));
  m.lives.doomed(at(1), 5);
  EXPECT_THAT(m.replicas.take(), ElementsAre("off 1"));
  EXPECT_THAT(m.names(), ElementsAre("serving", "broken"));
  m.want(0, 6);
  EXPECT_THAT(m.names(), ElementsAre("warm", "broken"));
  m.want(1, 7);
  m.lives.doomed(at(0), 7.2);
  EXPECT_THAT(m.replicas.take(), ElementsAre("withdraw 0", "withdraw 0", "off 0"));
  EXPECT_THAT(m.names(), ElementsAre("broken", "broken"));
}

TEST(ReplicaLifecycle, ARequestThatFindsNobodyWakesAPoolAtOnce) {
  Made m(scaled());
  m.want(0, 10);
  m.lives.demand(0, 20);
  EXPECT_THAT(m.names(), ElementsAre("starting", "off"));
  m.lives.demand(0, 21);
  EXPECT_THAT(m.names(), ElementsAre("starting", "off"));
}

}  // namespace servecast::replica_lifecycle_test
