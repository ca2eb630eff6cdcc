#include "sim/plan/runs/results_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "tests/unit/message_of.h"
#include "tests/unit/report/files.h"

namespace servecast::results_file_test {

using testing::HasSubstr;

TEST(ResultsFile, finds_what_was_added) {
  const TemporaryFolder folder;
  const std::string file = (folder / "r.sqlite").string();
  {
    ResultsFile results(file);
    results.add("a", "text with 'quotes' and\na line");
    results.add("a", "a key is written once");
    results.add("b", "");
    EXPECT_EQ(results.find("a"), "text with 'quotes' and\na line");
  }
  ResultsFile again(file);
  EXPECT_EQ(again.size(), 2);
  EXPECT_EQ(again.find("a"), "text with 'quotes' and\na line");
  EXPECT_EQ(again.find("b"), "");
  EXPECT_EQ(again.find("c"), std::nullopt);
}

TEST(ResultsFile, a_second_writer_is_refused_and_the_first_goes_on) {
  const TemporaryFolder folder;
  const std::string file = (folder / "r.sqlite").string();
  ResultsFile first(file);
  first.add("a", "1");
  const pid_t other = ::fork();  // locks are between processes
  if (other == 0) _exit(message_of([&] { ResultsFile second(file); }).find("in use") != std::string::npos ? 7 : 1);
  int status = 0;
  ::waitpid(other, &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), 7);
  first.add("b", "2");
  EXPECT_EQ(first.size(), 2);
}

TEST(ResultsFile, what_was_added_survives_kill) {
  const TemporaryFolder folder;
  const std::string file = (folder / "r.sqlite").string();
  const pid_t writer = ::fork();
  if (writer == 0) {
    ResultsFile results(file);
    for (int i = 0; i < 100; ++i) results.add(std::to_string(i), "x");
    ::raise(SIGKILL);
  }
  int status = 0;
  ::waitpid(writer, &status, 0);
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_TRUE(std::filesystem::exists(file + "-wal"));  // nothing was put in order
  ResultsFile results(file);
  EXPECT_EQ(results.size(), 100);
}

TEST(ResultsFile, joins_others) {
  const TemporaryFolder folder;
  const std::string one = (folder / "1.sqlite").string(), two = (folder / "2.sqlite").string();
  {
    ResultsFile results(one);
    results.add("a", "1");
    results.add("both", "of one");
  }
  ResultsFile joined(two);
  joined.add("both", "of two");
  joined.add_all(one);
  EXPECT_EQ(joined.size(), 2);
  EXPECT_EQ(joined.find("a"), "1");
  EXPECT_EQ(joined.find("both"), "of two");
  joined.add_all(one);
  EXPECT_EQ(joined.size(), 2);
}

TEST(ResultsFile, other_files_are_refused_and_left_as_they_are) {
  const TemporaryFolder folder;
  const std::string text = (folder / "text").string(), foreign = (folder / "foreign.sqlite").string();
  put_text(text, std::string(2000, 'x'));
  EXPECT_THAT(message_of([&] { ResultsFile results(text); }), HasSubstr("no results file"));
  EXPECT_EQ(read_text(text), std::string(2000, 'x'));
  sqlite3* database = nullptr;
  sqlite3_open(foreign.c_str(), &database);
  sqlite3_exec(database, "CREATE TABLE t (x)", nullptr, nullptr, nullptr);
  sqlite3_close(database);
  const std::string before = read_text(foreign);
  EXPECT_THAT(message_of([&] { ResultsFile results(foreign); }), HasSubstr("another program's"));
  EXPECT_EQ(read_text(foreign), before);
  EXPECT_THAT(message_of([&] { ResultsFile results("/no/such/folder/r.sqlite"); }), HasSubstr("cannot be used"));
}

}  // namespace servecast::results_file_test
