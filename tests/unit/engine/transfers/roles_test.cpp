// Replicas that change sides, without an engine: the views are made up.
#include "sim/engine/transfers/roles.h"

#include <gtest/gtest.h>

namespace servecast::roles_test {

/// Four replicas of 100 blocks, of which one prefills at first. A prefilling one should have at most 8,192 waiting
/// tokens, decoding ones at most 70 % of their blocks in use.
struct Made {
  std::unique_ptr<Placement> placement = [] {
    auto prepared = Registry<Placement>::all().at("dynamic_roles").prepare();
    return prepared->make();
  }();
  std::vector<ReplicaView> views{4, ReplicaView{.total_blocks = 100}};
  std::vector<bool> empty{false, false, false, false};
  std::vector<bool> serves{true, true, true, true};
  struct Members final : RoleMembers {
    explicit Members(const Made& of) : made(of) {}
    const Made& made;
    bool serves(std::size_t i) const override { return made.serves[i]; }
    bool empty(std::size_t i) const override { return made.empty[i]; }
    ReplicaView view(std::size_t i) const override { return made.views[i]; }
  };
  Roles roles{*placement, std::make_unique<Members>(*this), 4};

  void check(double now_s) { roles.check(now_s); }
  std::size_t prefill() const { return roles.pick(true).value(); }
  std::size_t decode() const { return roles.pick(false).value(); }
};

TEST(Roles, PickTheSideThatIsAskedForAndTheLeastLoadedOfIt) {
  Made m;  // one prefills at first, by default
  EXPECT_EQ(m.prefill(), 0u);
  EXPECT_EQ(m.decode(), 1u);
  m.views[1].running_requests = 3;
  m.views[2].running_requests = 2;
  m.views[3].running_requests = 2;
  EXPECT_EQ(m.decode(), 2u);
}

// The prompts pile up: the decoding replica with the fewest sequences takes nothing more, and prefills once it is
// empty. While it drains no other does.
TEST(Roles, ADecodingReplicaDrainsAndThenPrefills) {
  Made m;
  m.views[0].waiting_tokens = 8193;
  m.views[1].running_requests = 1;
  m.views[2].running_requests = 5;
  m.views[3].running_requests = 5;
  m.check(1);
  EXPECT_EQ(m.decode(), 2u);
  EXPECT_EQ(m.prefill(), 0u);
  m.check(2);
  EXPECT_EQ(m.decode(), 2u);
  m.empty[1] = true;
  m.views[1].running_requests = 0;
  m.check(3);  // the other two carry on: 8,193 tokens are for two now
  EXPECT_EQ(m.prefill(), 1u);
}

// 8,192 are not too many; and of 300 decoding blocks 140 must fit into 70 % of 200.
TEST(Roles, StayOnBothSidesOfTheLimits) {
  Made m;
  m.views[0].waiting_tokens = 8192;
  m.check(1);
  EXPECT_EQ(m.decode(), 1u);
  m.views[0].waiting_tokens = 8193;
  m.views[3].used_blocks = 140;
  m.check(2);
  EXPECT_EQ(m.decode(), 1u);
  m.views[3].used_blocks = 139;
  m.check(3);
  EXPECT_EQ(m.decode(), 2u);
}

// The last prefilling replica stays, however full the others are; the second does not.
TEST(Roles, EverySideKeepsOne) {
  Made m;
  for (std::size_t i = 1; i < 4; ++i) m.views[i].used_blocks = 100;
  m.check(1);
  EXPECT_EQ(m.prefill(), 0u);
  Made two;
  two.views[0].waiting_tokens = 9000;
  two.check(1);
  two.empty[1] = true;
  two.check(2);
  ASSERT_EQ(two.prefill(), 1u);
  two.views[0].waiting_tokens = 100;
  two.views[2].used_blocks = two.views[3].used_blocks = 71;
  two.check(3);  // the idle one goes back
  EXPECT_EQ(two.prefill(), 0u);
}

// The only prefilling replica stops: the decoding one with the least to do prefills at once. Of the last one that
// serves there is no second side.
TEST(Roles, ASideThatHasLostItsLastIsCoveredAtOnce) {
  Made m;
  m.views[1].running_requests = 3;
  m.serves[0] = false;
  EXPECT_FALSE(m.roles.pick(true));
  m.roles.cover();
  EXPECT_EQ(m.prefill(), 2u);
  EXPECT_EQ(m.decode(), 3u);
  m.serves[1] = m.serves[3] = false;
  m.roles.cover();
  EXPECT_EQ(m.prefill(), 2u);
  EXPECT_FALSE(m.roles.pick(false));
  m.serves[0] = true;  // it comes back, and to the side without replicas
  m.roles.cover();
  EXPECT_EQ(m.decode(), 0u);
  EXPECT_EQ(m.prefill(), 2u);
}

TEST(Roles, WhoDrainsCoversFirst) {
  Made m;
  m.views[0].waiting_tokens = 8193;
  m.views[1].running_requests = 1;
  m.views[2].running_requests = m.views[3].running_requests = 5;
  m.check(1);  // 1 drains
  m.serves[2] = m.serves[3] = false;
  m.roles.cover();
  EXPECT_EQ(m.decode(), 1u);
}

TEST(Roles, AreLookedAtOnWholeMultiples) {
  Made m;
  EXPECT_EQ(m.roles.next_check_s(), 1);
  m.check(1);
  EXPECT_EQ(m.roles.next_check_s(), 2);
  m.check(7.5);
  EXPECT_EQ(m.roles.next_check_s(), 8);
}

}  // namespace servecast::roles_test
