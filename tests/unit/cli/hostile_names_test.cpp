// Names may hold anything: what a terminal, a shell, a YAML parser or a spreadsheet would obey is written as a text.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/unit/cli/servecast.h"
#include "tests/unit/small_scenario.h"

namespace servecast::hostile_names_test {

using testing::HasSubstr;
using testing::Not;

/// In YAML double quotes: colours, the title of the window, a bell, DEL, an 8-bit CSI as UTF-8, a line break.
constexpr const char* hostile = R"yaml("=\e[31mred\e]0;title\a\x7f\x9b31m\necho RUN\n---\n{a: b} # 'x' $(id)")yaml";

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

bool is_visible(const std::string& text) {
  const auto shown = [](unsigned char c) { return (c >= 0x20 && c != 0x7f) || c == '\n'; };
  return std::ranges::all_of(text, shown) && text.find("\xc2\x9b") == std::string::npos;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

class HostileNames : public testing::Test {
 protected:
  /// Of a command that gives 0, what it prints.
  std::string said(const std::vector<std::string>& words) const {
    const Outcome outcome = servecast_with(words);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_EQ(outcome.err, "");
    return outcome.out;
  }
  std::string refusal(const std::vector<std::string>& words) const {
    const Outcome outcome = servecast_with(words);
    EXPECT_EQ(outcome.status, 2) << outcome.out;
    return outcome.err;
  }

  TestFolder folder_{};
  std::string scenario_ = replaced(replaced(small_scenario, "name: small", std::string("name: ") + hostile),
                                   "name: chat", std::string("name: ") + hostile);
  std::string file_ = folder_.write("hostile.yaml", scenario_);
};

TEST_F(HostileNames, AreShownInReports) {
  for (const std::string& text : {said({"run", file_}), said({"run", file_, "--format", "json"}),
                                  said({"check", file_}), said({"check", file_, "--format", "json"})}) {
    EXPECT_TRUE(is_visible(text)) << text;
    EXPECT_THAT(lines_of(text), Not(testing::Contains("echo RUN")));
  }
  EXPECT_THAT(said({"run", file_}), HasSubstr(R"(=\x1b[31mred\x1b]0;title\x07\x7f\x9b31m\x0aecho RUN)"));
}

TEST_F(HostileNames, AreShownInMessages) {
  const std::string wrong = folder_.write("wrong.yaml", replaced(scenario_, "llama-3.1-8b", hostile));
  for (const std::string& text : {refusal({"run", wrong}), refusal({"run", "\x1b[31m.yaml"}), refusal({"r\x1b[31m"}),
                                  refusal({"run", "--\x1b[31m"}), refusal({"run", file_, "--set", "\x1b[31m=1"}),
                                  refusal({"list", "\x1b[31m"})}) {
    EXPECT_TRUE(is_visible(text)) << text;
    EXPECT_THAT(text, HasSubstr(R"(\x1b[31m)"));
  }
}

TEST_F(HostileNames, AreShownInTablesOfManyRuns) {
  const std::string sweep = said({"sweep", file_, "--over", R"(name=plain,"=\e[31mred")", "--progress", "none"});
  EXPECT_TRUE(is_visible(sweep)) << sweep;
  EXPECT_TRUE(is_visible(said({"compare", file_, file_, "--progress", "none"})));
}

TEST_F(HostileNames, AreShownInPlans) {
  const std::string study = folder_.write(
      "study.yaml", std::string("name: ") + hostile +
                        "\nscenario: hostile.yaml\nobjectives: [{metric: ttft_s, percentile: 99, at_most: 1}]\n" +
                        "space: [{name: replicas, options: [{name: " + hostile +
                        ", set: ['pools[0].replicas=1']}]}]\n");
  const std::string text = said({"plan", "--bounds-only", study});
  EXPECT_TRUE(is_visible(text)) << text;
  EXPECT_THAT(text, HasSubstr(R"(\x0aecho RUN)"));
}

TEST_F(HostileNames, AreShownOfTraces) {
  const std::string trace =
      folder_.write("trace.csv", "arrival_s,prompt_tokens,output_tokens,class\n0,10,10,\x1b[31mred\n1,10,10,=a\n");
  const std::string info = said({"trace", "info", trace});
  EXPECT_TRUE(is_visible(info)) << info;
  EXPECT_THAT(info, HasSubstr(R"(\x1b[31mred: 1)"));
  EXPECT_TRUE(is_visible(said({"trace", "convert", trace, folder_ / "out\x1b[31m.csv"})));
}

TEST_F(HostileNames, AreCommentsOfCommandLines) {
  const std::string text = said({"plan", "--emit", "vllm", file_});
  EXPECT_THAT(text, HasSubstr(R"(\x0aecho RUN)"));
  for (const std::string& line : lines_of(text))
    EXPECT_TRUE(line.empty() || line.starts_with("#") || line.starts_with("vllm serve ") || line.starts_with("  --"))
        << line;
}

TEST_F(HostileNames, AddNothingToAManifest) {
  const std::string text = said({"plan", "--emit", "kubernetes", file_});
  EXPECT_TRUE(is_visible(text)) << text;
  const std::vector<std::string> lines = lines_of(text);
  EXPECT_EQ(std::ranges::count(lines, "---"), 1);  // between Deployment and Service
  EXPECT_THAT(lines, Not(testing::Contains("echo RUN")));
}

/// The folder is a word of the commands and stands in the comment below them.
TEST_F(HostileNames, AreWordsOfAJobArray) {
  const std::string study = SERVECAST_SOURCE_DIR "/tests/data/small_study.yaml";
  const std::string folder = folder_ / "a'\ntouch RUN #";
  const std::string text = said({"plan", study, "--emit", "slurm", "--out", folder});
  const std::vector<std::string> lines = lines_of(text);
  std::string word = folder;
  word = replaced(word, "'", "'\\''");
  EXPECT_THAT(text, HasSubstr("--out '" + word + "'/shard-"));
  EXPECT_EQ(std::ranges::count(lines, "touch RUN #'/shard-\"$SLURM_ARRAY_TASK_ID\" \\"), 1);  // inside of quotes
  EXPECT_EQ(std::ranges::count_if(lines, [](const std::string& l) { return l.starts_with("touch"); }), 1);
}

/// A pool's name as the window reads it back, and a class as trace files hold it.
TEST_F(HostileNames, AreNoFormulasInTables) {
  const std::string file = folder_.write("formula.yaml", replaced(small_scenario, "name: chat", "name: '=1+1'"));
  said({"run", file, "--out", folder_ / "report"});
  EXPECT_THAT(text_of(folder_ / "report/requests.csv"), HasSubstr(",'=1+1,"));
  const std::string trace = folder_.write("trace.csv", "arrival_s,prompt_tokens,output_tokens,class\n0,10,10,@a\n");
  said({"trace", "convert", trace, folder_ / "own.csv"});
  EXPECT_THAT(text_of(folder_ / "own.csv"), HasSubstr(",'@a\n"));
  EXPECT_THAT(said({"trace", "info", folder_ / "own.csv"}), HasSubstr(" @a: 1"));
}

}  // namespace servecast::hostile_names_test
