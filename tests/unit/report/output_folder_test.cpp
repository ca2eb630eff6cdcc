#include "sim/report/files/output_folder.h"

#include <gmock/gmock.h>
#include <signal.h>
#include <sys/wait.h>

#include <functional>
#include <stdexcept>

#include "models/base/error.h"
#include "sim/report/files/replace_folder.h"
#include "tests/unit/message_of.h"
#include "tests/unit/report/files.h"

namespace servecast::output_folder_test {

namespace fs = std::filesystem;
using testing::HasSubstr;

std::size_t entries(const fs::path& folder) {
  return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator{}));
}

void write_report(const fs::path& dir, std::string_view summary) {
  OutputFolder out(dir.string());
  put_text(out.file("summary.json"), summary);
  out.commit();
}

std::string error_of(const fs::path& dir) {
  return message_of([&] { OutputFolder out(dir.string()); });
}

/// Runs `child` in a process of its own and gives how it ended.
int status_of(const std::function<void()>& child) {
  const pid_t pid = ::fork();
  if (pid == 0) {
    child();
    ::_exit(0);
  }
  int status = 0;
  EXPECT_EQ(::waitpid(pid, &status, 0), pid);
  return status;
}

TEST(OutputFolder, IsThereOnlyOnceItIsComplete) {
  const TemporaryFolder t;
  {
    OutputFolder out((t / "new/report/").string());  // the folder above is made, the slash does not matter
    put_text(out.file("summary.json"), "one");
    EXPECT_FALSE(fs::exists(t / "new/report"));
    out.commit();
  }
  EXPECT_EQ(read_text(t / "new/report/summary.json"), "one");
  EXPECT_EQ(entries(t / "new"), 1u);
}

TEST(OutputFolder, ReplacesAnEarlierReportAsAWhole) {
  const TemporaryFolder t;
  {
    OutputFolder out((t / "report").string());
    put_text(out.file("summary.json"), "one");
    put_text(out.file("flows.csv"), "of the first run only");
    out.commit();
  }
  write_report(t / "report", "two");
  EXPECT_EQ(read_text(t / "report/summary.json"), "two");
  EXPECT_EQ(entries(t / "report"), 1u);
  EXPECT_EQ(entries(t.path()), 1u);
}

TEST(OutputFolder, TakesAnEmptyFolderAndFollowsALink) {
  const TemporaryFolder t;
  fs::create_directory(t / "real");
  fs::create_directory_symlink(t / "real", t / "link");
  write_report(t / "link", "one");
  EXPECT_TRUE(fs::is_symlink(t / "link"));
  EXPECT_EQ(read_text(t / "real/summary.json"), "one");
}

TEST(OutputFolder, RefusesWhatIsNotAReport) {
  const TemporaryFolder t;
  fs::create_directory(t / "home");
  put_text(t / "home/summary.json", "mine");
  put_text(t / "home/thesis.tex", "years of work");
  EXPECT_THAT(error_of(t / "home"), HasSubstr("holds 'thesis.tex', which no report has"));
  EXPECT_EQ(entries(t / "home"), 2u);

  fs::create_directories(t / "sly/trace.json");  // a folder by that name is not a file of ours
  EXPECT_THAT(error_of(t / "sly"), HasSubstr("holds 'trace.json'"));

  EXPECT_THAT(error_of(t / "home/thesis.tex"), HasSubstr("is not a folder"));
  EXPECT_THAT(error_of(t / "home/thesis.tex/report"), HasSubstr("thesis.tex/report: cannot be written"));
  EXPECT_EQ(error_of(""), "the output folder has no name");
  EXPECT_EQ(entries(t.path()), 2u);
}

TEST(OutputFolder, RefusesWhatBecameForeignMeanwhile) {
  const TemporaryFolder t;
  OutputFolder out((t / "report").string());
  put_text(out.file("summary.json"), "new");
  fs::create_directory(t / "report");
  put_text(t / "report/notes.txt", "written during the run");
  EXPECT_THROW(out.commit(), UserError);
  EXPECT_EQ(read_text(t / "report/notes.txt"), "written during the run");
}

TEST(OutputFolder, AnExceptionLeavesTheOldReport) {
  const TemporaryFolder t;
  write_report(t / "report", "old");
  try {
    OutputFolder out((t / "report").string());
    put_text(out.file("summary.json"), "half");
    throw std::runtime_error("the simulation failed");
  } catch (const std::runtime_error&) {
  }
  EXPECT_EQ(read_text(t / "report/summary.json"), "old");
  EXPECT_EQ(entries(t.path()), 1u);
}

TEST(OutputFolder, CtrlCLeavesTheOldReportAndNothingElse) {
  for (const int signal_number : {SIGINT, SIGTERM, SIGHUP}) {
    const TemporaryFolder t;
    write_report(t / "report", "old");
    const int status = status_of([&] {
      OutputFolder out((t / "report").string());
      put_text(out.file("summary.json"), "half");
      put_text(out.file("requests.csv"), "half");
      ::raise(signal_number);
    });
    ASSERT_TRUE(WIFSIGNALED(status));  // ended by the signal, as a shell expects
    EXPECT_EQ(WTERMSIG(status), signal_number);
    EXPECT_EQ(read_text(t / "report/summary.json"), "old");
    EXPECT_EQ(entries(t.path()), 1u);
  }
}

TEST(OutputFolder, AKillLeavesTheOldReportAndTheNextRunTidiesUp) {
  const TemporaryFolder t;
  write_report(t / "report", "old");
  const int status = status_of([&] {
    OutputFolder out((t / "report").string());
    put_text(out.file("summary.json"), "half");
    ::raise(SIGKILL);
  });
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(read_text(t / "report/summary.json"), "old");
  EXPECT_EQ(entries(t.path()), 2u);  // the old one and what was half-written

  write_report(t / "report", "new");
  EXPECT_EQ(read_text(t / "report/summary.json"), "new");
  EXPECT_EQ(entries(t.path()), 1u);
}

TEST(OutputFolder, TidiesUpOnlyWhatIsSurelyItsOwn) {
  const TemporaryFolder t;
  const int parent = static_cast<int>(::getppid());  // alive
  const auto with_file = [&](const std::string& name, std::string_view file) {
    fs::create_directory(t / name);
    put_text(t / name / file, "x");
  };
  with_file("report.partial-" + std::to_string(parent), "summary.json");  // a run that goes on
  with_file("report.partial-old", "summary.json");                        // no process number
  with_file("report.partial-999999999", "thesis.tex");                    // not our files
  with_file("other.partial-999999999", "summary.json");                   // of another report
  with_file("report.partial-999999998", "summary.json");                  // left behind
  write_report(t / "report", "new");
  EXPECT_EQ(entries(t.path()), 5u);
  EXPECT_FALSE(fs::exists(t / "report.partial-999999998"));
}

TEST(OutputFolder, ARunKilledBetweenTwoRenamesLosesNothing) {
  const TemporaryFolder t;
  fs::create_directory(t / "report.aside-999999999");
  put_text(t / "report.aside-999999999/summary.json", "old");
  {
    OutputFolder out((t / "report").string());
    EXPECT_EQ(read_text(t / "report/summary.json"), "old");
  }
  EXPECT_EQ(read_text(t / "report/summary.json"), "old");
  EXPECT_EQ(entries(t.path()), 1u);
}

TEST(ReplaceFolder, StepByStepWhereTheFileSystemCannotExchange) {
  const TemporaryFolder t;
  fs::create_directory(t / "dir");
  put_text(t / "dir/summary.json", "old");
  fs::create_directory(t / "fresh");
  put_text(t / "fresh/summary.json", "new");
  replace_stepwise(t / "fresh", t / "dir", t / "aside");
  EXPECT_EQ(read_text(t / "dir/summary.json"), "new");
  EXPECT_EQ(entries(t.path()), 1u);

  EXPECT_THROW(replace_stepwise(t / "missing", t / "dir", t / "aside"), fs::filesystem_error);
  EXPECT_EQ(read_text(t / "dir/summary.json"), "new");
  EXPECT_EQ(entries(t.path()), 1u);
}

TEST(ReplaceFolder, ExchangeSwapsOrSaysThatItCannot) {
  const TemporaryFolder t;
  fs::create_directory(t / "a");
  put_text(t / "a/name", "a");
  fs::create_directory(t / "b");
  put_text(t / "b/name", "b");
  EXPECT_FALSE(exchange_folders(t / "a", t / "missing"));
  if (!exchange_folders(t / "a", t / "b")) GTEST_SKIP() << "this file system has no exchange";
  EXPECT_EQ(read_text(t / "a/name"), "b");
  EXPECT_EQ(read_text(t / "b/name"), "a");
}

}  // namespace servecast::output_folder_test
