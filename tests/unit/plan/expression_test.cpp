#include "sim/plan/study/expression.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/message_of.h"

namespace servecast::expression_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::optional<ExpressionValue> known(const std::string& name) {
  if (name == "replicas") return 4.0;
  if (name == "tp") return 2.0;
  if (name == "gpu") return std::string("h100_sxm_80g");
  if (name == "cold") return false;
  return std::nullopt;
}

double number(const std::string& text) { return std::get<double>(*Expression(text).value(known)); }
bool holds(const std::string& text) { return *Expression(text).holds(known); }

std::string complaint(const std::string& text) {
  return message_of([&] { Expression(text).holds(known); });
}

TEST(Expression, BindsAsUsual) {
  EXPECT_EQ(number("1 + 2 * 3"), 7);
  EXPECT_EQ(number("(1 + 2) * 3"), 9);
  EXPECT_EQ(number("8 - 2 - 1"), 5);   // from the left
  EXPECT_EQ(number("8 / 2 / 2"), 2);
  EXPECT_EQ(number("-2 * -3"), 6);
  EXPECT_EQ(number("7 % 4"), 3);
  EXPECT_EQ(number("-1 % 4"), 3);  // the sign of what it is divided by: counts around
  EXPECT_EQ(number("min(3, 1, 2) + max(1, replicas)"), 5);
}

TEST(Expression, ComparesAndJoins) {
  EXPECT_TRUE(holds("replicas * tp <= 8"));
  EXPECT_FALSE(holds("replicas * tp < 8"));
  EXPECT_TRUE(holds("gpu == 'h100_sxm_80g' and not cold"));
  EXPECT_TRUE(holds("gpu != \"a100\" or 1 / 0 == 1"));  // the right side is not looked at
  EXPECT_TRUE(holds("not replicas == 3"));
  EXPECT_TRUE(holds("false or true and not false"));
}

TEST(Expression, KnowsItsNames) { EXPECT_THAT(Expression("tp + tp * replicas").names(), ElementsAre("replicas", "tp")); }

TEST(Expression, HasNoValueWhereANameHasNone) {
  EXPECT_FALSE(Expression("unknown + 1").value(known));
  EXPECT_FALSE(Expression("true or unknown").holds(known));
}

TEST(Expression, SaysWhatIsWrongAndWhere) {
  EXPECT_THAT(complaint("1 +"), HasSubstr("ends too early at letter 4"));
  EXPECT_THAT(complaint("(1 + 2"), HasSubstr("lacks a ')' at letter 7"));
  EXPECT_THAT(complaint("1 < 2 < 3"), HasSubstr("does not go on like this at letter 7"));
  EXPECT_THAT(complaint("gpu = 1"), HasSubstr("at letter 5"));
  EXPECT_THAT(complaint("gpu == 'h100"), HasSubstr("text without an end at letter 8"));
  EXPECT_THAT(complaint("12abc == 1"), HasSubstr("has no number at letter 1"));
  EXPECT_THAT(complaint("and 1"), HasSubstr("joins nothing"));
}

TEST(Expression, RefusesKindsThatDoNotFit) {
  EXPECT_THAT(complaint("gpu <= 4"), HasSubstr("'h100_sxm_80g' is not a number"));
  EXPECT_THAT(complaint("gpu == 4"), HasSubstr("compares 'h100_sxm_80g' with 4"));
  EXPECT_THAT(complaint("replicas and true"), HasSubstr("4 is neither true nor false"));
  EXPECT_THAT(complaint("replicas"), HasSubstr("compare it with something"));
  EXPECT_THAT(complaint("1 / (tp - 2) == 1"), HasSubstr("divides by 0"));
}

TEST(Expression, ReadsValuesAsTheyAreWritten) {
  EXPECT_EQ(value_of_text("16"), ExpressionValue(16.0));
  EXPECT_EQ(value_of_text("1e3"), ExpressionValue(1000.0));
  EXPECT_EQ(value_of_text("true"), ExpressionValue(true));
  EXPECT_EQ(value_of_text("fp8"), ExpressionValue(std::string("fp8")));
  EXPECT_EQ(value_of_text("1x"), ExpressionValue(std::string("1x")));
  EXPECT_EQ(value_of_text("inf"), ExpressionValue(std::string("inf")));  // not a number that one could compare
}

}  // namespace servecast::expression_test
