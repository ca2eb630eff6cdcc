#include "sim/input/files/line_reader.h"
#include "tests/unit/input/trace_testing.h"

namespace servecast::trace_line_reader_test {

std::vector<std::string> lines_of(const std::string& file) {
  LineReader reader(file);
  std::vector<std::string> lines;
  while (const std::optional<Line> line = reader.next()) lines.emplace_back(line->text);
  return lines;
}

std::string numbered_lines(int count) {
  std::string text;
  for (int i = 1; i <= count; ++i) text += "line " + std::to_string(i) + "\n";
  return text;
}

TEST(LineReader, GivesLinesWithNumbers) {
  const TempFolder folder;
  LineReader reader(folder.write("a.txt", "one\n\n  \nfour\n"));
  EXPECT_EQ(reader.next()->text, "one");
  const std::optional<Line> line = reader.next();
  EXPECT_EQ(line->text, "four");
  EXPECT_EQ(line->number, 4);  // blank lines are counted, but not given
  EXPECT_FALSE(reader.next());
  EXPECT_FALSE(reader.next());
}

TEST(LineReader, TakesAnyLineEndAndAMissingOne) {
  const TempFolder folder;
  EXPECT_EQ(lines_of(folder.write("a.txt", "a\r\nb\nc")), (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_EQ(lines_of(folder.write("b.txt", "")), std::vector<std::string>{});
}

TEST(LineReader, PassesOverAByteOrderMark) {
  const TempFolder folder;
  EXPECT_EQ(lines_of(folder.write("a.txt", "\xEF\xBB\xBFone\n\xEF\xBB\xBFtwo\n")),
            (std::vector<std::string>{"one", "\xEF\xBB\xBFtwo"}));
}

TEST(LineReader, PackedAndPlainGiveTheSame) {
  const TempFolder folder;
  const std::string text = numbered_lines(100'000);  // several buffers
  const auto plain = lines_of(folder.write("a.txt", text));
  EXPECT_EQ(plain.size(), 100'000u);
  EXPECT_EQ(plain.back(), "line 100000");
  EXPECT_EQ(lines_of(folder.write_gzip("a.gz", text)), plain);
}

TEST(LineReader, TakesLinesLongerThanItsBuffer) {
  const TempFolder folder;
  const std::string longest(3'000'000, 'x');
  const auto lines = lines_of(folder.write("a.txt", "a\n" + longest + "\nb\n"));
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_EQ(lines[1], longest);
  EXPECT_EQ(lines[2], "b");
}

TEST(LineReader, TellsHowFarItIs) {
  const TempFolder folder;
  LineReader reader(folder.write_gzip("a.gz", numbered_lines(300'000)));
  EXPECT_EQ(reader.fraction_read(), 0);
  double before = 0;
  while (reader.next()) {
    EXPECT_GE(reader.fraction_read(), before);
    before = reader.fraction_read();
  }
  EXPECT_EQ(reader.fraction_read(), 1);
}

TEST(LineReader, RepeatsALine) {
  const TempFolder folder;
  LineReader reader(folder.write("a.txt", "one\ntwo\n"));
  reader.next();
  reader.again();
  EXPECT_EQ(reader.next()->text, "one");
  EXPECT_EQ(reader.next()->text, "two");
}

TEST(LineReader, SaysWhatIsWrongWithAFile) {
  const TempFolder folder;
  EXPECT_EQ(message_of([&] { LineReader reader(folder / "none.csv"); }),
            (folder / "none.csv") + ": cannot be read; give the path of an existing file");
  EXPECT_EQ(message_of([&] { LineReader reader(folder.path().string()); }),
            folder.path().string() + ": is a folder, not a file");
  const std::string plain = folder.write("plain.gz", "no gzip\n");
  EXPECT_EQ(message_of([&] { lines_of(plain); }), plain + ": is named .gz but is no gzip file; rename it or pack it");
}

TEST(LineReader, SaysWhereAGzipIsCutShort) {
  const TempFolder folder;
  const std::string whole = folder.write_gzip("whole.gz", numbered_lines(200'000));
  const std::string bytes = read_bytes(whole);
  const std::string cut = folder.write("cut.gz", bytes.substr(0, bytes.size() / 2));
  const std::string message = message_of([&] { lines_of(cut); });
  int last = 0;
  ASSERT_EQ(std::sscanf(message.c_str() + cut.size(), ":%d: is a gzip file that is cut short", &last), 1) << message;
  EXPECT_GT(last, 50'000);
  EXPECT_LT(last, 150'000);
  EXPECT_EQ(message, cut + ":" + std::to_string(last) + ": is a gzip file that is cut short after line " +
                         std::to_string(last) + "; copy or download the file again");
  // Only the check sum at the end is missing.
  const std::string tail = folder.write("tail.gz", bytes.substr(0, bytes.size() - 4));
  EXPECT_NE(message_of([&] { lines_of(tail); }).find("is a gzip file that is cut short after line 200000"),
            std::string::npos);
}

TEST(LineReader, SaysWhereAGzipIsCorrupt) {
  const TempFolder folder;
  std::string bytes = read_bytes(folder.write_gzip("whole.gz", numbered_lines(200'000)));
  for (std::size_t i = bytes.size() / 2; i < bytes.size() / 2 + 20; ++i) bytes[i] = static_cast<char>(~bytes[i]);
  const std::string corrupt = folder.write("corrupt.gz", bytes);
  const std::string message = message_of([&] { lines_of(corrupt); });
  EXPECT_NE(message.find(": is a gzip file that is corrupt after line "), std::string::npos) << message;
}

}  // namespace servecast::trace_line_reader_test
