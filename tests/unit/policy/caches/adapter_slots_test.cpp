#include "models/policy/caches/adapter_slots.h"

#include <gtest/gtest.h>

namespace servecast::adapter_slots_test {

TEST(AdapterSlots, TheOneUsedLeastRecentlyMakesRoom) {
  AdapterSlots slots(2);
  const AdapterId a{1}, b{2}, c{3};
  EXPECT_FALSE(slots.take(a));
  EXPECT_FALSE(slots.take(b));
  EXPECT_EQ(slots.in_use(), 2);
  EXPECT_FALSE(slots.has_room(c)) << "both are in use";
  slots.leave(b);
  EXPECT_TRUE(slots.has_room(c));
  EXPECT_TRUE(slots.take(b)) << "still there";
  slots.leave(a);
  slots.leave(b);
  EXPECT_EQ(slots.in_use(), 0);
  EXPECT_FALSE(slots.take(c)) << "in place of a, which was used before b";
  EXPECT_TRUE(slots.holds(b));
  EXPECT_FALSE(slots.holds(a));
}

TEST(AdapterSlots, SeveralRequestsWithOneAdapterUseOneSlot) {
  AdapterSlots slots(1);
  const AdapterId a{7};
  slots.take(a);
  EXPECT_TRUE(slots.take(a));
  EXPECT_EQ(slots.in_use(), 1);
  slots.leave(a);
  EXPECT_FALSE(slots.has_room(AdapterId{8}));
  slots.leave(a);
  EXPECT_TRUE(slots.has_room(AdapterId{8}));
}

}  // namespace servecast::adapter_slots_test
