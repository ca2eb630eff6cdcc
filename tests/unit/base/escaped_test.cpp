#include "models/base/escaped.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <memory>

namespace servecast::escaped_test {

const std::string names[]{"plain",
                          "",
                          "two words",
                          "\x1b[31mred\x1b]0;title\a",
                          "line\necho RUN",
                          "carriage\rreturn\tand tab",
                          "del\x7f csi\u009b31m nel\u0085",
                          "separators\u2028and\u2029",
                          "left to right\u202e and back\u2066",
                          "caf\u00e9 \u6df1\u5ea6 \U0001F600",
                          "latin1 \xe9, 8-bit csi \x9b",
                          "'single' \"double\" \\back `tick` $(x) $x",
                          "=1+1",
                          "'=1+1",
                          "''@x",
                          "+cmd|' /C calc'!A0",
                          "-1",
                          "+2.5e3",
                          "-1-1",
                          "-",
                          "\t=x",
                          "a,b",
                          "=\"a\",b",
                          "--- {a: b} # c"};

bool is_visible(const std::string& text) {
  for (const unsigned char c : text)
    if (c < 0x20 || c == 0x7f) return false;
  for (const char* bytes : {"\xc2\x80", "\xc2\x85", "\xc2\x9b", "\u2028", "\u2029", "\u202e", "\u2066"})
    if (text.find(bytes) != std::string::npos) return false;
  return true;
}

TEST(Visible, ShowsWhatATerminalWouldObey) {
  EXPECT_EQ(visible("\x1b[31mred\a"), "\\x1b[31mred\\x07");
  EXPECT_EQ(visible("a\nb\tc\rd\x7f"), "a\\x0ab\\x09c\\x0dd\\x7f");
  EXPECT_EQ(visible("\u009b31m \u2028 \u202e"), "\\x9b31m \\u2028 \\u202e");
  EXPECT_EQ(visible("\x9b\xe9"), "\\x9b\\xe9");  // no UTF-8
  EXPECT_EQ(visible("caf\u00e9 \u6df1\u5ea6 \U0001F600 \\x1b"), "caf\u00e9 \u6df1\u5ea6 \U0001F600 \\x1b");
  for (const std::string& name : names) EXPECT_TRUE(is_visible(visible(name))) << visible(name);
}

TEST(CommentLine, IsOneLine) {
  EXPECT_EQ(comment_line("a\necho b"), "# a\\x0aecho b\n");
  for (const std::string& name : names) {
    const std::string line = comment_line(name);
    EXPECT_TRUE(is_visible(line.substr(0, line.size() - 1))) << line;
  }
}

TEST(ShellWord, IsReadBackByAShell) {
  for (const std::string& name : names) {
    const std::string command = "printf %s " + shell_word(name);
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> pipe(popen(command.c_str(), "r"), pclose);
    ASSERT_TRUE(pipe);
    std::string said;
    for (int c = std::fgetc(pipe.get()); c != EOF; c = std::fgetc(pipe.get())) said += static_cast<char>(c);
    EXPECT_EQ(said, name);
  }
  EXPECT_EQ(shell_word("a/b-c_d.e:1"), "a/b-c_d.e:1");
  EXPECT_EQ(shell_word("it's"), "'it'\\''s'");
}

TEST(YamlText, IsOneQuotedLine) {
  EXPECT_EQ(yaml_text("a\n---\nb"), R"("a\x0a---\x0ab")");
  EXPECT_EQ(yaml_text("say \"\\\""), R"("say \"\\\"")");
  EXPECT_EQ(yaml_text("\u2028"), R"("\u2028")");
  for (const std::string& name : names) EXPECT_TRUE(is_visible(yaml_text(name)));
}

TEST(VisibleJson, EscapesWhatJsonMayHoldRaw) {
  EXPECT_EQ(visible_json("{\n  \"a\": \"\u009b31m\x7f\"\n}\n"), "{\n  \"a\": \"\\u009b31m\\u007f\"\n}\n");
}

TEST(CsvCell, QuotesAndMarks) {
  EXPECT_EQ(csv_cell("a,b"), "\"a,b\"");
  EXPECT_EQ(csv_cell("say \"a\""), "\"say \"\"a\"\"\"");
  EXPECT_EQ(csv_cell("=1+1"), "'=1+1");
  EXPECT_EQ(csv_cell("@x,y"), "\"'@x,y\"");
  EXPECT_EQ(csv_cell("\r"), "\"'\r\"");
  EXPECT_EQ(csv_cell("'=x"), "''=x");  // or it would be read back without its own apostrophe
  for (const char* as_it_is : {"", "plain", "-1", "+2.5e3", "-0.5", "'quoted'", "a=b", "0-31 96"})
    EXPECT_EQ(csv_cell(as_it_is), as_it_is);
}

/// The cell without its quotes, as a reader of CSV sees it.
std::string unquoted(std::string cell) {
  if (!cell.starts_with('"')) return cell;
  cell = cell.substr(1, cell.size() - 2);
  for (std::size_t at = cell.find("\"\""); at != std::string::npos; at = cell.find("\"\"", at + 1)) cell.erase(at, 1);
  return cell;
}

TEST(CsvCell, IsReadBack) {
  for (const std::string& name : names) {
    EXPECT_EQ(csv_text(unquoted(csv_cell(name))), name);
    EXPECT_EQ(is_plain_csv(name), csv_cell(name) == name);
  }
}

}  // namespace servecast::escaped_test
