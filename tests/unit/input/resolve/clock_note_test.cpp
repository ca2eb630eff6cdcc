// What a forecast says of GPUs whose limit holds less than the full clock.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/input/scenario/scenario.h"

namespace servecast::clock_note_test {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

std::vector<std::string> notes_of(const std::vector<Override>& overrides) {
  return load_scenario(std::string(SERVECAST_SOURCE_DIR) + "/scenarios/chat.yaml", overrides).pools.at(0).notes;
}

// (350 - 75) / (700 - 75) = 0.44, of which the cube root is 0.76.
TEST(ClockNote, TellsTheShareThatALimitHolds) {
  EXPECT_THAT(notes_of({{"pools[0].power_cap_w", "350"}}),
              Contains(HasSubstr("a limit of 350 W holds 0.76 of the clock")));
  EXPECT_THAT(notes_of({}), Not(Contains(HasSubstr("of the clock"))));
}

}  // namespace servecast::clock_note_test
