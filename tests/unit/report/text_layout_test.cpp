#include "sim/report/layout/text_layout.h"

#include <gtest/gtest.h>

#include "sim/report/layout/sparkline.h"

namespace servecast::text_layout_test {

TEST(TextLayout, ColumnsOfATerminal) {
  EXPECT_EQ(columns("abc"), 3u);
  EXPECT_EQ(columns("42 µs ≤ …"), 9u);
  EXPECT_EQ(columns("对话"), 4u);
  EXPECT_EQ(columns("▁█"), 2u);
  EXPECT_EQ(columns("\xe4"), 1u);  // cut in the middle of a character
}

TEST(TextLayout, WrapsAtSpaces) {
  EXPECT_EQ(wrapped("one two three", 13, 2), "one two three");
  EXPECT_EQ(wrapped("one two three", 12, 2), "one two\n  three");
  EXPECT_EQ(wrapped("  ! one two", 8, 4), "  ! one\n    two");
  EXPECT_EQ(wrapped("unbreakable word", 5, 0), "unbreakable\nword");
  EXPECT_EQ(wrapped("", 5, 0), "");
}

TEST(TextLayout, ShowsWhatATerminalWouldObey) {
  EXPECT_EQ(wrapped("a\x1b[1m b\nc", 80, 0), "a\\x1b[1m b\\x0ac");
  TextTable table(1);
  table.row({"a\x07", "1"});
  EXPECT_EQ(table.text(0, any_width), "a\\x07  1\n");
}

TEST(TextLayout, Ascii) { EXPECT_EQ(to_ascii("µs ≤ µ · …"), "us <= u | ~"); }

TEST(TextTable, AlignsAndLeavesNoTrailingBlanks) {
  TextTable table(1);
  table.row({"", "p50", "p99"});
  table.row({"µ", "1.00 s", "12"});
  table.row({"longer", "-", "345 s"});
  EXPECT_EQ(table.text(2, 80),
            "             p50    p99\n"
            "  µ       1.00 s     12\n"
            "  longer       -  345 s\n");
}

TEST(TextTable, CutsLeftColumnsThatAreTooWide) {
  TextTable table(1);
  table.row({"a name of many letters", "12"});
  EXPECT_EQ(table.text(0, 14), "a name of…  12\n");
}

TEST(Sparkline, ScalesAndKeepsPeaks) {
  const std::vector<double> values{0, 1, 4, 8};
  EXPECT_EQ(sparkline(values, 8, 10, true), " ▁▄█");
  EXPECT_EQ(sparkline(values, 8, 10, false), " .=@");
  EXPECT_EQ(sparkline(values, 8, 2, false), ".@");  // the larger of 0 and 1, of 4 and 8
  EXPECT_EQ(sparkline(values, 0, 4, false), "    ");
  EXPECT_EQ(sparkline(std::vector<double>{0.0001, 80}, 8, 2, false), ".@");
  EXPECT_EQ(sparkline({}, 1, 10, true), "");
}

}  // namespace servecast::text_layout_test
