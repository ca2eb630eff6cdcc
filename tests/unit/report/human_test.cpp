#include "sim/report/layout/human.h"

#include <gtest/gtest.h>

namespace servecast::human_test {

TEST(Human, Seconds) {
  EXPECT_EQ(human::seconds(0), "0 s");
  EXPECT_EQ(human::seconds(0.0253), "25.3 ms");
  EXPECT_EQ(human::seconds(0.9994), "999 ms");
  EXPECT_EQ(human::seconds(0.99995), "1.00 s");
  EXPECT_EQ(human::seconds(1), "1.00 s");
  EXPECT_EQ(human::seconds(9.994), "9.99 s");
  EXPECT_EQ(human::seconds(9.996), "10.0 s");
  EXPECT_EQ(human::seconds(99.96), "100 s");
  EXPECT_EQ(human::seconds(1234.5), "1,235 s");
  EXPECT_EQ(human::seconds(42e-6), "42.0 µs");
  EXPECT_EQ(human::seconds(3e-9), "3.00 ns");
  EXPECT_EQ(human::seconds(4e-12), "0.00400 ns");
}

TEST(Human, Span) {
  EXPECT_EQ(human::span(10.26), "10.3 s");
  EXPECT_EQ(human::span(119.4), "119 s");
  EXPECT_EQ(human::span(119.5), "2 min 00 s");
  EXPECT_EQ(human::span(3500), "58 min 20 s");
  EXPECT_EQ(human::span(7200), "2 h 00 min");
  EXPECT_EQ(human::span(9 * 86400 + 3600), "9 days 01 h");
}

TEST(Human, Number) {
  EXPECT_EQ(human::number(0), "0");
  EXPECT_EQ(human::number(5.5333), "5.53");
  EXPECT_EQ(human::number(0.00213), "0.00213");
  EXPECT_EQ(human::number(0.9996), "1.00");
  EXPECT_EQ(human::number(999.4), "999");
  EXPECT_EQ(human::number(999.6), "1,000");
  EXPECT_EQ(human::number(-12345), "-12,345");
  EXPECT_EQ(human::count(0), "0");
  EXPECT_EQ(human::count(999), "999");
  EXPECT_EQ(human::count(19366), "19,366");
  EXPECT_EQ(human::count(-1234567), "-1,234,567");
}

TEST(Human, BytesWattsAndJoules) {
  EXPECT_EQ(human::bytes(512), "512 B");
  EXPECT_EQ(human::bytes(85e9), "85.0 GB");
  EXPECT_EQ(human::bytes(999.6e9), "1.00 TB");
  EXPECT_EQ(human::bytes(2e15), "2,000 TB");
  EXPECT_EQ(human::watts(2800), "2.80 kW");
  EXPECT_EQ(human::joules(8.21e6), "8.21 MJ");
}

TEST(Human, Money) {
  EXPECT_EQ(human::usd(0), "$0");
  EXPECT_EQ(human::usd(11.924), "$11.92");
  EXPECT_EQ(human::usd(999.4), "$999.40");
  EXPECT_EQ(human::usd(1234.4), "$1,234");
  EXPECT_EQ(human::usd(0.9951), "$1.00");
  EXPECT_EQ(human::usd(0.994), "$0.994");
  EXPECT_EQ(human::usd(0.000598), "$0.000598");
  EXPECT_EQ(human::usd(-2), "-$2.00");
}

TEST(Human, PercentNeverRoundsToAllOrNothing) {
  EXPECT_EQ(human::percent(0), "0.0 %");
  EXPECT_EQ(human::percent(1), "100.0 %");
  EXPECT_EQ(human::percent(0.612), "61.2 %");
  EXPECT_EQ(human::percent(0.9994), "99.9 %");
  EXPECT_EQ(human::percent(0.9996), "99.96 %");
  EXPECT_EQ(human::percent(0.99996), "99.996 %");
  EXPECT_EQ(human::percent(0.0004), "0.04 %");
  EXPECT_EQ(human::percent(1e-12), "0.000000 %");
}

}  // namespace servecast::human_test
