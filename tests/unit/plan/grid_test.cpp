#include "sim/plan/compare/grid.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/base/error.h"

namespace servecast::grid_test {

using testing::ElementsAre;

TEST(Grid, the_last_dimension_changes_fastest) {
  const auto points = grid({parse_axis("a=1,2"), parse_axis("b.c=x,y,z")});
  ASSERT_EQ(points.size(), 6u);
  EXPECT_THAT(points[0], ElementsAre("a=1", "b.c=x"));
  EXPECT_THAT(points[1], ElementsAre("a=1", "b.c=y"));
  EXPECT_THAT(points[5], ElementsAre("a=2", "b.c=z"));
}

TEST(Grid, commas_inside_brackets_and_quotes_belong_to_a_value) {
  EXPECT_THAT(parse_axis("slo={ttft_s: 1, tpot_s: 2},{ttft_s: 3}").values,
              ElementsAre("{ttft_s: 1, tpot_s: 2}", "{ttft_s: 3}"));
  EXPECT_THAT(parse_axis("x=[1,[2,3]],'a,b',\"c,d\",e").values, ElementsAre("[1,[2,3]]", "'a,b'", "\"c,d\"", "e"));
}

TEST(Grid, what_names_no_values_is_refused) {
  for (const char* word : {"a", "=1", "a=", "a=1,,2", "a=1,"}) EXPECT_THROW(parse_axis(word), UserError) << word;
  EXPECT_THROW(grid({parse_axis("a=1"), parse_axis("a=2")}), UserError);
}

}  // namespace servecast::grid_test
