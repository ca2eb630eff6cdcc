#include "sim/cli/output/detail.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/message_of.h"

namespace servecast::detail_test {

using testing::HasSubstr;

std::string error_of(const std::string& words) {
  return message_of([&] { parse_detail(words); });
}

TEST(Detail, nothing_is_nothing) { EXPECT_FALSE(parse_detail("").any()); }

TEST(Detail, takes_words_in_any_order) {
  const DetailChoice some = parse_detail("flows,replicas");
  EXPECT_TRUE(some.flows);
  EXPECT_TRUE(some.replicas);
  EXPECT_FALSE(some.links);
  EXPECT_FALSE(some.steps);
  EXPECT_TRUE(parse_detail("links").links);
}

TEST(Detail, steps_can_have_a_window) {
  EXPECT_EQ(parse_detail("steps").steps->from_s, 0);
  EXPECT_TRUE(std::isinf(parse_detail("steps").steps->to_s));
  EXPECT_EQ(parse_detail("links,steps@1.5:20").steps->from_s, 1.5);
  EXPECT_EQ(parse_detail("steps@1.5:20,links").steps->to_s, 20);
  EXPECT_EQ(parse_detail("steps@:20").steps->to_s, 20);
  EXPECT_TRUE(std::isinf(parse_detail("steps@5:").steps->to_s));
}

TEST(Detail, says_what_is_wrong) {
  EXPECT_THAT(error_of("step"),
              HasSubstr("unknown detail 'step'; did you mean 'steps'? Known: replicas, links, flows"));
  EXPECT_THAT(error_of("links,"), HasSubstr("unknown detail ''"));
  EXPECT_THAT(error_of("links@1:2"), HasSubstr("only steps can have a window"));
  EXPECT_THAT(error_of("steps@12"), HasSubstr("write the times as steps@from:to"));
  EXPECT_THAT(error_of("steps@a:2"), HasSubstr("'a' is no time in seconds"));
  EXPECT_THAT(error_of("steps@1:2x"), HasSubstr("'2x' is no time in seconds"));
  EXPECT_THAT(error_of("steps@-1:2"), HasSubstr("'-1' is no time in seconds"));
  EXPECT_THAT(error_of("steps@nan:2"), HasSubstr("'nan' is no time in seconds"));
  EXPECT_THAT(error_of("steps@2:2"), HasSubstr("the window ends before it begins"));
}

}  // namespace servecast::detail_test
